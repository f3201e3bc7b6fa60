"""What a role may reach is all that its pages count, find, list and link."""

from django.utils import timezone

from consent import erasures, requests
from consent.models import ErasureRun
from identity.models import Relationship
from identity.types import Custody, RelationshipRef
from tests.desk.conftest import Person, make_colleague
from tests.factories.memories import make_memory
from tests.factories.requests import ask_for

LIST = "/desk/consent/erasurerun/"


def ask_erasure(relationship: RelationshipRef) -> ErasureRun:
    return erasures.request(
        erasures.Target(relationship.user_id, relationship.id),
        by="staff:0",
        reason_code="subject_request",
        at_once=False,
        now=timezone.now(),
    )


def work_for(person: Person, relationship: RelationshipRef) -> None:
    asked = ask_for(relationship)
    requests.assign(asked.pk, to=person.user.pk, by=person.actor)


def test_it_shows_support_the_erasures_of_people_whom_they_work_for(ann, ben) -> None:
    support = make_colleague("support")
    own, foreign = ask_erasure(ann), ask_erasure(ben)
    work_for(support, ann)

    listed = support.browser.get(LIST).text

    assert str(own.pk) in listed
    assert str(foreign.pk) not in listed
    assert support.browser.get(f"{LIST}{own.pk}/change/").status_code == 200
    assert support.browser.get(f"{LIST}{foreign.pk}/change/").status_code == 404


def test_it_finds_no_receipt_or_run_of_people_whom_support_works_not_for(ben) -> None:
    support = make_colleague("support")
    foreign = ask_erasure(ben)

    for name in (foreign.pk, foreign.receipt_code):
        text = support.browser.get("/desk/find/", {"q": str(name)}).text
        assert "Nothing of exactly this name was found" in text


def test_it_counts_the_relationships_that_the_person_may_open(ann, ben) -> None:
    support, lead = make_colleague("support"), make_colleague("operator_lead")
    rows = Relationship.objects.filter(pk=ann.id)
    rows.update(custody=Custody.PROXY_POOL)
    work_for(support, ann)

    cards = [
        person.browser.get("/desk/").context["cards"][0] for person in (support, lead)
    ]

    assert [card.value for card in cards] == ["1", "1"]


def test_it_links_only_what_the_person_may_open(officer: Person, ann) -> None:
    make_memory(ann, "养了猫")
    Relationship.objects.filter(pk=ann.id).update(custody=Custody.PROXY_POOL)
    here = f"/desk/identity/relationship/{ann.id}/change/"
    lead = make_colleague("operator_lead")

    ours, theirs = (one.browser.get(here).text for one in (officer, lead))

    for address in ("/desk/reveal/", "/desk/memories/memory/", "/desk/kernel/"):
        assert f'href="{address}' in ours
        assert f'href="{address}' not in theirs
    assert "/desk/readers/" in theirs
