"""Searching: what names something exactly, and words in one chosen place."""

from typing import Any

import pytest

from consent.erasures.wishes import new_receipt_code
from consent.models import ErasureRun, SubjectRequest
from memsys.desk import word_search
from memsys.desk.word_search import Target, Where, search_words
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.desk.conftest import Person, make_colleague
from tests.desk.evil import EVIL, MARKUP, RUNNING
from tests.desk.rows import list_audit, make_governance
from tests.desk.test_permissions import list_desk
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_message

FIND = "/desk/find/"
WORDS = "/desk/find/words/"


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


def search(person: Person, where: str, name: Any, words: str, **more: str) -> str:
    form = {"where": where, "name": str(name), "words": words, "mode": "words"} | more
    return str(person.browser.post(WORDS, form).text)


def test_it_finds_what_is_named_exactly(compliance: Person, ann):
    keys = make_governance(ann)
    number = SubjectRequest.objects.get(pk=keys[SubjectRequest]).number
    code = new_receipt_code(ann.user_id)
    ErasureRun.objects.filter(pk=keys[ErasureRun]).update(receipt_code=code)
    run = f"/desk/consent/erasurerun/{keys[ErasureRun]}/change/"
    terms = {
        ann.user_external_id: f"/desk/identity/relationship/{ann.id}/change/",
        f" {ann.id} ": f"/desk/identity/relationship/{ann.id}/change/",
        str(ann.user_id): f"/desk/identity/globaluser/{ann.user_id}/change/",
        number: f"/desk/consent/subjectrequest/{keys[SubjectRequest]}/change/",
        code.lower(): run,
        str(keys[ErasureRun]): run,
    }

    pages = {one: compliance.browser.get(FIND, {"q": one}).text for one in terms}

    assert [one for one, page in pages.items() if terms[one] not in page] == []


def test_it_finds_nothing_by_a_part_of_a_name(compliance: Person, ann):
    text = compliance.browser.get(FIND, {"q": ann.user_external_id[:-1]}).text

    assert str(ann.id) not in text
    assert "Nothing of exactly this name" in text


def test_it_finds_nothing_out_of_reach(ann):
    support, lead = make_colleague("support"), make_colleague("operator_lead")

    texts = [
        person.browser.get(FIND, {"q": term}).text
        for person in (support, lead)
        for term in (ann.user_external_id, str(ann.id), str(ann.user_id))
    ]

    assert all(f"/{ann.id}/" not in one for one in texts)
    assert all(f"/{ann.user_id}/" not in one for one in texts)


@pytest.mark.parametrize("where", ["relationship", "user", "persona"])
def test_it_finds_words_in_the_chosen_place_only(
    where: str, compliance: Person, ann, ben
):
    own, foreign = make_memory(ann, "我对芒果过敏"), make_memory(ben, "我对芒果过敏")
    name = {
        "relationship": ann.id,
        "user": ann.user_external_id,
        "persona": f"{ann.creator_external_id}/{ann.persona_key}",
    }[where]

    text = search(compliance, where, name, "芒果 过敏")

    assert str(own.lineage) in text
    assert str(foreign.lineage) not in text
    assert "我对芒果过敏" not in text


def test_it_tells_words_from_a_phrase(compliance: Person, ann):
    together = make_memory(ann, "喜欢芒果冰沙")
    apart = make_memory(ann, "冰沙要芒果味")
    said = make_message(ann, "给我来一杯芒果冰沙")

    by_words = search(compliance, "relationship", ann.id, "芒果 冰沙")
    by_phrase = search(compliance, "relationship", ann.id, "芒果冰沙", mode="exact")

    assert all(str(one.lineage) in by_words for one in (together, apart))
    assert str(together.lineage) in by_phrase
    assert str(apart.lineage) not in by_phrase
    assert str(said.pk) in by_phrase


@pytest.mark.parametrize(
    "fields",
    [{"visibility": "sensitive"}, {"visibility": "creator_private"},
     {"sensitive_category": "diagnosis"}],
)  # fmt: skip
def test_it_tells_nothing_of_what_takes_a_second_person(
    fields: dict[str, str], compliance: Person, ann
):
    memory = make_memory(ann, "我有抑郁症", **fields)

    text = search(compliance, "relationship", ann.id, "抑郁症")

    assert str(memory.lineage) not in text


def test_it_leaves_minors_out_and_says_so(compliance: Person):
    minor = make_relationship(age_band="minor_14_17")
    memory = make_memory(minor, "喜欢芒果")

    text = search(compliance, "relationship", minor.id, "芒果")

    assert str(memory.lineage) not in text
    assert "1 of a minor was left out" in text


def test_it_records_where_was_looked_and_not_the_words(compliance: Person, ann):
    search(compliance, "user", ann.user_external_id, "芒果冰沙")

    entries = list_audit(action="desk.words_searched", actor=compliance.actor)
    with staff_role():
        bodies = [AuditPayload.objects.get(pk=one.pk).body for one in entries]
    assert {one.object_ref for one in entries} == {
        f"user:{ann.user_id}",
        f"relationship:{ann.id}",
    }
    assert {one["length"] for one in bodies} == {4}
    assert "芒果" not in str(bodies)


def test_it_searches_no_words_for_who_may_not(ann):
    for role in ("auditor", "support", "operator_lead"):
        person = make_colleague(role)

        form = {"where": "relationship", "name": str(ann.id), "words": "芒果"}
        response = person.browser.post(WORDS, form | {"mode": "words"})

        assert response.status_code == 403


def test_it_goes_through_a_persona_page_by_page(
    compliance: Person, ann, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(word_search, "PAGE", 2)
    others = [
        make_relationship(creator=ann.creator_external_id, persona=ann.persona_key)
        for _ in range(4)
    ]
    wanted = {make_memory(one, "喜欢芒果").lineage for one in (ann, *others)}
    target = Target(Where.PERSONA, ann.persona_id)
    found, after, pages = set(), None, 0

    while True:
        result = search_words(target, "芒果", is_exact=False, after=after, by="staff:1")
        found |= {hit.id for group in result.groups for hit in group.hits}
        after, pages = result.next, pages + 1
        if after is None:
            break

    assert (found, pages) == (wanted, 3)


def test_it_offers_to_go_on(compliance: Person, ann, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(word_search, "PAGE", 1)
    make_relationship(creator=ann.creator_external_id, persona=ann.persona_key)

    text = search(compliance, "persona", ann.persona_id, "芒果")

    assert 'name="after" value="' in text


def test_it_shows_evil_words_as_words(compliance: Person, ann):
    """Acceptance row C20."""
    make_memory(ann, EVIL)

    texts = [
        compliance.browser.get(FIND, {"q": MARKUP}).text,
        search(compliance, "relationship", ann.id, MARKUP, mode="exact"),
        search(compliance, "user", MARKUP, MARKUP),
    ]

    assert all(one not in text for text in texts for one in RUNNING)


ODD = (
    "page=abc&p=abc&q=&o=9.9&_popup=1",
    "s=a&page=abc&extended=1&p=-1&e=1",
    "page=99999999999999999999&relationship=abc&_to_field=text",
    "relationship=a&relationship=b&all=&kind=%00&after=%00&q=%00",
    "next=//evil.example&_changelist_filters=%00&chain=%00&p=99999999999",
    "q=" + "x" * 4000 + "&state__exact=%F0%9F&id__gt=1",
)
# What only writes, or is not there, answers before it reads the address.
DOORS = ("/add/", "/delete/", "/history/", "/password/")


@pytest.mark.parametrize("query", ODD, ids=lambda one: one[:30])
def test_it_survives_odd_addresses_everywhere(
    query: str, officer: Person, shown_rows: dict[Any, Any]
):
    pages = {
        address for _name, address in list_desk() if not address.endswith(DOORS)
    } | {one.page.partition("?")[0] for one in shown_rows.values()}
    content = {one.list for one in shown_rows.values()}

    failed = []
    for page in pages | content:
        joint = "&" if "?" in page else "?"
        status = officer.browser.get(f"{page}{joint}{query}").status_code
        if status >= 500:
            failed.append((page, status))

    assert failed == []
