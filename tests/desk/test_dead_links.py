"""Nobody is shown a link that would be refused to them, nor a row out of their reach."""

import pytest

from consent.models import SubjectRequest
from identity.models import Relationship
from memories.models import ChatSession
from memsys.desk.roles import ROLES
from tests.desk.conftest import make_colleague
from tests.desk.crawling import crawl
from tests.desk.rows import list_address, make_shown_rows
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", [one.name for one in ROLES])
def test_it_leads_nobody_to_a_page_that_refuses_them(role: str):
    relationship = make_relationship()
    Relationship.objects.filter(pk=relationship.id).update(custody="proxy_pool")
    make_shown_rows(relationship)
    colleague = make_colleague(role)
    # Support opens the people whose requests it has taken.
    SubjectRequest.objects.update(assigned_to=colleague.user.pk)

    pages = crawl(colleague.browser)

    # What may not be opened says itself what it would take.
    shown = {page: one for page, one in pages.items() if one.route != "reveal"}
    statuses = {page: one.status for page, one in shown.items()}
    assert {page: code for page, code in statuses.items() if code != 200} == {}


def test_it_lists_the_sessions_of_the_proxy_pool_for_its_lead():
    lead = make_colleague("operator_lead")
    served, other = make_relationship(), make_relationship()
    Relationship.objects.filter(pk=served.id).update(custody="proxy_pool")
    theirs, not_theirs = make_session(served), make_session(other)

    text = lead.browser.get(list_address(ChatSession)).text
    refused = lead.browser.get(f"{list_address(ChatSession)}{not_theirs.pk}/change/")

    assert str(theirs.pk) in text
    assert str(not_theirs.pk) not in text
    assert refused.status_code == 404
