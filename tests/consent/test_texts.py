"""The texts that people are shown: the first ones, and new ones by two persons."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent import approvals
from consent.consents import publish_text
from consent.errors import InvalidChange, PolicyTextOutdated, SamePerson
from consent.gate import may_keep_sensitive
from consent.models import PolicyVersion
from consent.texts import LOCALES, hash_text, list_current, read_file, seed_texts
from consent.types import DOCUMENTS
from identity.scopes import service_scope
from identity.types import RelationshipRef
from tests.factories.consents import give, read_states, text_of
from tests.factories.identity import make_relationship

pytestmark = pytest.mark.django_db

HEALTH = "sensitive:mental_health"
OFFICER, REVIEWER = 3, 4
DAY = timedelta(days=1)


def make_payload(**fields: Any) -> dict[str, Any]:
    texts = {
        "zh-hans": {"title": "新的说明", "text": "我们还会……"},
        "en": {"title": "New words", "text": "We also …"},
    }
    return {
        "document": "sensitive",
        "is_material": True,
        "renewal_from": None,
        "texts": texts,
    } | fields


def publish(**fields: Any) -> int:
    return publish_text(
        make_payload(**fields), by="staff:4", change=None, now=timezone.now()
    )


def may_keep(relationship: RelationshipRef) -> bool:
    with service_scope(relationship, is_read=True):
        return may_keep_sensitive(relationship, "mental_health")


class TestTheFirstTexts:
    def test_there_is_one_of_each_document_in_each_language(self) -> None:
        firsts = PolicyVersion.objects.filter(number=1)

        found = {(one.document, one.locale) for one in firsts}
        assert found >= {(one, locale) for one in DOCUMENTS for locale in LOCALES}

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_each_says_what_the_law_wants_said(self, document: str) -> None:
        """PIPL, articles 14, 17 and 30: why, what for, who, how long, how to stop."""
        zh, en = read_file(document, "zh-hans")[1], read_file(document, "en")[1]

        for heading in ("做什么", "为什么需要", "影响", "给谁", "保存多久", "怎样撤回"):
            assert heading in zh
        for heading in ("What happens", "Why it is needed", "Who gets it", "How long"):
            assert heading in en
        assert "How to withdraw" in en

    def test_its_hash_is_that_of_its_words(self) -> None:
        text = text_of(HEALTH)

        assert text.sha256 == hash_text(text.text)
        assert (text.title, text.text) == read_file("sensitive", "zh-hans")

    def test_making_them_again_changes_nothing(self) -> None:
        before = list(PolicyVersion.objects.order_by("pk").values())

        seed_texts(using="default")

        assert list(PolicyVersion.objects.order_by("pk").values()) == before


class TestANewText:
    def test_it_has_the_next_number_in_all_languages(self) -> None:
        number = publish()

        current = [one for one in list_current(now=timezone.now()) if one.number > 1]
        assert {(one.document, one.locale, one.number) for one in current} == {
            ("sensitive", locale, number) for locale in LOCALES
        }

    def test_a_material_one_denies_what_was_granted_before(self) -> None:
        ann = make_relationship()
        give(ann, HEALTH)

        publish()

        assert not may_keep(ann)
        assert read_states(ann) == {(HEALTH, "all"): "needs_renewal"}
        with pytest.raises(PolicyTextOutdated):
            give(ann, HEALTH)

    def test_what_is_granted_by_the_new_one_holds(self) -> None:
        ann = make_relationship()
        number = publish()

        give(ann, HEALTH, text=text_of(HEALTH, number=number))

        assert may_keep(ann)

    def test_it_may_leave_time_to_ask(self) -> None:
        ann = make_relationship()
        give(ann, HEALTH)

        publish(renewal_from=(timezone.now() + DAY).isoformat())

        assert may_keep(ann)
        assert read_states(ann, now=timezone.now() + DAY) == {
            (HEALTH, "all"): "needs_renewal"
        }

    def test_one_that_is_not_material_leaves_grants_alone(self) -> None:
        ann = make_relationship()
        give(ann, HEALTH)

        publish(is_material=False)
        give(ann, "sensitive:diagnosis")

        assert may_keep(ann)

    def test_other_documents_are_left_alone(self) -> None:
        ann = make_relationship()
        give(ann, HEALTH)

        publish(document="release")

        assert may_keep(ann)

    def test_a_later_one_gives_no_more_time_than_an_earlier_one(self) -> None:
        publish()

        publish(renewal_from=(timezone.now() + DAY).isoformat())

        assert text_of(HEALTH).renewal_from <= timezone.now()

    @pytest.mark.parametrize(
        "fault",
        [
            {"document": "other"},
            {"is_material": "yes"},
            {"is_material": False, "renewal_from": "2030-01-01T00:00:00+08:00"},
            {"renewal_from": "2030-01-01"},
            {"renewal_from": "soon"},
            {"texts": {"en": {"title": "a", "text": "b"}}},
            {"texts": {"en": {"title": "a"}, "zh-hans": {"title": "a", "text": "b"}}},
            {
                "texts": {
                    "en": {"title": "a", "text": " "},
                    "zh-hans": {"title": "a", "text": "b"},
                }
            },
            {"more": 1},
        ],
    )
    def test_what_is_none_is_refused(self, fault: dict[str, Any]) -> None:
        with pytest.raises(InvalidChange):
            publish(**fault)


class TestTwoPersons:
    def test_one_proposes_and_another_publishes(self) -> None:
        now = timezone.now()
        request = approvals.propose(
            "policy_text",
            make_payload(),
            object_ref="policy_text:sensitive",
            reason="新的用途",
            by=OFFICER,
            now=now,
        )

        with pytest.raises(SamePerson):
            approvals.approve(
                request.pk, by=OFFICER, payload_hash=request.payload_hash, now=now
            )
        done = approvals.approve(
            request.pk, by=REVIEWER, payload_hash=request.payload_hash, now=now
        )

        assert done.state == "done", done.result
        made = PolicyVersion.objects.filter(change_request=request.pk)
        assert {one.locale for one in made} == set(LOCALES)

    def test_the_second_person_sees_what_differs(self) -> None:
        request = approvals.propose(
            "policy_text",
            make_payload(),
            object_ref="policy_text:sensitive",
            reason="新的用途",
            by=OFFICER,
            now=timezone.now(),
        )

        shown = "\n".join(str(value) for _, value in approvals.describe(request))

        assert "+我们还会……" in shown
        assert "-**做什么**" in shown
