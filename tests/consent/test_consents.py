"""The ledger of consent, and what it amounts to: what permits, forbids, and ends."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from consent.allowances import read_allowances
from consent.consents import list_events, record
from consent.errors import (
    ConsentError,
    ConsentTargetNotFound,
    EvidenceReused,
    GuardianNeeded,
    InvalidConsent,
    MinorCannotConsent,
    PolicyTextMismatch,
    PolicyTextOutdated,
)
from consent.gate import find_closing, may_keep_sensitive
from consent.models import ConsentEvent, PolicyVersion
from consent.settling import settle
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope import Purpose, ScopeConflict, ScopeMissing, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import CountedQueries
from tests.factories.consents import (
    BY,
    give,
    make_ending,
    make_form,
    read_states,
    take_back,
    tell,
    text_of,
)
from tests.factories.identity import make_creator, make_persona, make_relationship

pytestmark = pytest.mark.django_db

HEALTH = "sensitive:mental_health"
REGION = "release:region"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


def may_keep(relationship: RelationshipRef, at: datetime | None = None) -> bool:
    with service_scope(relationship, is_read=True):
        return may_keep_sensitive(relationship, "mental_health", now=at)


def within(relationship: RelationshipRef, kind: str) -> dict[str, Any]:
    """Return the target of a kind that a relationship lies in."""
    ids = {
        "all": None,
        "creator": relationship.creator_id,
        "persona": relationship.persona_id,
        "relationship": relationship.id,
    }
    return {"target_kind": kind, "target_id": ids[kind]}


def due_at(relationship: RelationshipRef) -> Any:
    return GlobalUser.objects.get(pk=relationship.user_id).consents_due_at


KINDS = ["all", "creator", "persona", "relationship"]


class TestAGrant:
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_permits_where_its_target_covers(
        self, ann: RelationshipRef, kind: str
    ) -> None:
        give(ann, HEALTH, **within(ann, kind))

        assert may_keep(ann)
        assert read_states(ann) == {(HEALTH, kind): "granted"}

    @pytest.mark.parametrize("kind", KINDS[1:])
    def test_it_permits_nowhere_else(self, ann: RelationshipRef, kind: str) -> None:
        other = make_relationship(user=ann.user_external_id)

        give(ann, HEALTH, **within(other, kind))

        assert not may_keep(ann)
        assert may_keep(other)

    def test_without_one_nothing_is_permitted(self, ann: RelationshipRef) -> None:
        assert not may_keep(ann)

    def test_one_of_another_user_permits_nothing(self, ann: RelationshipRef) -> None:
        give(make_relationship(), HEALTH)

        assert not may_keep(ann)

    def test_one_of_another_category_permits_nothing(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, "sensitive:diagnosis")

        assert not may_keep(ann)

    def test_it_ends_by_its_time(self, ann: RelationshipRef) -> None:
        now = timezone.now()
        give(ann, HEALTH, expires_at=now + MINUTE)

        with service_scope(ann, is_read=True):
            is_kept = may_keep_sensitive(ann, "mental_health", now=now + MINUTE)

        assert not is_kept
        assert read_states(ann, now=now + MINUTE) == {(HEALTH, "all"): "expired"}
        assert due_at(ann) == now + MINUTE

    def test_the_gate_asks_once_in_each_scope(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)

        with service_scope(ann, is_read=True), CountedQueries() as queries:
            may_keep_sensitive(ann, "mental_health")
            may_keep_sensitive(ann, "diagnosis")

        assert len(queries.statements) == 1


class TestTheText:
    def test_it_may_be_named_by_its_number_and_language(
        self, ann: RelationshipRef
    ) -> None:
        text = text_of(HEALTH, "en")

        event = give(ann, HEALTH, text=text, policy_version=None, text_number=1)

        assert event.policy_version_id == text.pk
        assert may_keep(ann)

    @pytest.mark.parametrize(
        "fault",
        [
            {"text_sha256": "0" * 64},
            {"locale": "en"},
            {"policy_version": UUID(int=7)},
            {"policy_version": None, "text_number": 99},
        ],
    )
    def test_another_one_than_ours_is_refused(
        self, ann: RelationshipRef, fault: dict[str, Any]
    ) -> None:
        with pytest.raises(PolicyTextMismatch):
            give(ann, HEALTH, **fault)

        assert read_states(ann) == {}

    def test_that_of_another_document_is_refused(self, ann: RelationshipRef) -> None:
        with pytest.raises(PolicyTextMismatch):
            give(ann, HEALTH, text=text_of(REGION))

    def test_one_that_was_materially_superseded_is_refused(
        self, ann: RelationshipRef
    ) -> None:
        PolicyVersion.objects.filter(document="sensitive").update(
            renewal_from=timezone.now() - MINUTE
        )

        with pytest.raises(PolicyTextOutdated):
            give(ann, HEALTH)

    def test_a_material_new_one_denies_what_was_granted_before(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, HEALTH)

        PolicyVersion.objects.filter(document="sensitive").update(
            renewal_from=timezone.now()
        )

        assert not may_keep(ann)
        assert read_states(ann) == {(HEALTH, "all"): "needs_renewal"}


class TestAWithdrawal:
    @pytest.mark.parametrize("action", ["withdraw", "refuse"])
    def test_it_bites_at_once_and_takes_no_more_than_the_scope(
        self, ann: RelationshipRef, action: str
    ) -> None:
        """PIPL, article 15: as easily as it is given."""
        give(ann, HEALTH)

        take_back(ann, HEALTH, action=action)

        assert not may_keep(ann)
        assert due_at(ann) is not None

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("wide", KINDS)
    def test_it_ends_what_lies_within_and_stops_what_reaches_in(
        self, ann: RelationshipRef, kind: str, wide: str
    ) -> None:
        give(ann, HEALTH, **within(ann, kind))

        take_back(ann, HEALTH, **within(ann, wide))

        assert not may_keep(ann)

    @pytest.mark.parametrize("kind", KINDS[1:])
    def test_one_for_a_part_leaves_the_rest(
        self, ann: RelationshipRef, kind: str
    ) -> None:
        other = make_relationship(user=ann.user_external_id)
        give(ann, HEALTH)

        take_back(ann, HEALTH, **within(ann, kind))

        assert [may_keep(ann), may_keep(other)] == [False, True]

    def test_one_for_all_ends_narrower_grants_of_its_scope_alone(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, HEALTH, **within(ann, "persona"))
        give(ann, "sensitive:diagnosis", **within(ann, "persona"))

        take_back(ann, HEALTH)

        assert read_states(ann) == {
            (HEALTH, "persona"): "withdrawn",
            (HEALTH, "all"): "withdrawn",
            ("sensitive:diagnosis", "persona"): "granted",
        }

    def test_what_is_granted_again_holds_again(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)
        take_back(ann, HEALTH)

        give(ann, HEALTH)

        assert may_keep(ann)

    def test_one_of_a_release_leaves_nothing_to_delete(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, REGION)

        take_back(ann, REGION)

        assert due_at(ann) is None

    def test_a_refusal_is_told_apart(self, ann: RelationshipRef) -> None:
        take_back(ann, HEALTH, action="refuse")

        assert read_states(ann) == {(HEALTH, "all"): "refused"}

    def test_one_upon_a_text_that_we_do_not_know_counts_too(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, HEALTH)

        event = take_back(ann, HEALTH, policy_version=uuid4(), text_sha256="1" * 64)

        assert not may_keep(ann)
        assert (event.policy_version_id, event.text_sha256) == (None, "1" * 64)


class TestTheOrderOfEvents:
    def test_a_late_grant_overturns_no_newer_withdrawal(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        give(ann, HEALTH, acted_at=now - 3 * MINUTE)
        take_back(ann, HEALTH, acted_at=now - MINUTE)

        give(ann, HEALTH, acted_at=now - 2 * MINUTE)

        assert not may_keep(ann)
        assert ConsentCount.of(ann) == 3

    @pytest.mark.parametrize("kind", KINDS[1:])
    def test_nor_one_that_was_for_more(self, ann: RelationshipRef, kind: str) -> None:
        now = timezone.now()
        take_back(ann, HEALTH, acted_at=now - MINUTE)

        give(ann, HEALTH, acted_at=now - 2 * MINUTE, **within(ann, kind))

        assert not may_keep(ann)

    def test_a_late_withdrawal_overturns_no_newer_grant(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        give(ann, HEALTH, acted_at=now - MINUTE)

        take_back(ann, HEALTH, acted_at=now - 2 * MINUTE)

        assert may_keep(ann)
        assert ConsentCount.of(ann) == 2

    def test_of_two_in_one_moment_no_is_heard(self, ann: RelationshipRef) -> None:
        moment = timezone.now() - MINUTE
        take_back(ann, HEALTH, acted_at=moment)

        give(ann, HEALTH, acted_at=moment)

        assert not may_keep(ann)

    def test_a_clock_ahead_does_not_make_a_grant_last(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, HEALTH, acted_at=timezone.now() + 4 * MINUTE)

        take_back(ann, HEALTH)

        assert not may_keep(ann)

    def test_only_what_changes_something_is_told_to_outsiders(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        give(ann, HEALTH, acted_at=now - MINUTE)
        take_back(ann, HEALTH, acted_at=now - 2 * MINUTE)

        (told,) = OutboxEvent.objects.filter(user_id=ann.user_id)

        assert told.name == "consent.changed"
        assert (told.data["scope"], told.data["action"]) == (HEALTH, "grant")

    def test_each_is_a_deed_in_the_audit(self, ann: RelationshipRef) -> None:
        event = give(ann, HEALTH)

        with staff_role():
            (deed,) = AuditEntry.objects.filter(object_ref=f"consent:{event.pk}")

        assert (deed.action, deed.actor) == ("consent.granted", BY)
        assert deed.field_names == [HEALTH]


class TestAProof:
    """One act of the user is one grant, however often it is told."""

    def test_told_twice_it_is_one_entry(self, ann: RelationshipRef) -> None:
        form = make_form(ann, HEALTH)

        events = [tell(form) for _ in range(2)]

        assert events[0].pk == events[1].pk
        assert ConsentCount.of(ann) == 1

    def test_told_again_after_a_withdrawal_it_brings_nothing_back(
        self, ann: RelationshipRef
    ) -> None:
        form = make_form(ann, HEALTH)
        tell(form)
        take_back(ann, HEALTH)

        tell(replace(form, acted_at=timezone.now()))

        assert not may_keep(ann)
        assert read_states(ann) == {(HEALTH, "all"): "withdrawn"}

    def test_told_again_after_its_end_it_lasts_no_longer(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        form = make_form(ann, HEALTH, expires_at=now + MINUTE)
        tell(form)

        with pytest.raises(EvidenceReused):
            tell(replace(form, expires_at=now + DAY))

        assert read_states(ann, now=now + MINUTE) == {(HEALTH, "all"): "expired"}

    @pytest.mark.parametrize(
        "other", [{"text_sha256": "1" * 64}, {"locale": "en"}, {"surface": "guardian"}]
    )
    def test_it_stands_for_one_text_at_one_place(
        self, ann: RelationshipRef, other: dict[str, Any]
    ) -> None:
        form = make_form(ann, HEALTH)
        tell(form)

        with pytest.raises(EvidenceReused):
            tell(replace(form, **other))

    def test_it_may_stand_for_several_scopes_and_targets(
        self, ann: RelationshipRef
    ) -> None:
        """A page has a switch for each, and one button."""
        for scope in (HEALTH, "sensitive:diagnosis"):
            give(ann, scope, evidence_id="click-1")
        give(ann, HEALTH, evidence_id="click-1", **within(ann, "persona"))

        assert ConsentCount.of(ann) == 3

    def test_a_withdrawal_is_heard_each_time(self, ann: RelationshipRef) -> None:
        for _ in range(2):
            give(ann, HEALTH)
            take_back(ann, HEALTH, evidence_id="click-2")

        assert not may_keep(ann)
        assert ConsentCount.of(ann) == 4

    def test_that_of_another_user_is_another_one(self, ann: RelationshipRef) -> None:
        give(make_relationship(), HEALTH, evidence_id="click-1")

        give(ann, HEALTH, evidence_id="click-1")

        assert may_keep(ann)


class TestTheNarrowerWord:
    """A grant for less until a time is the last word on that, once it is over."""

    @pytest.mark.parametrize("is_settled", [False, True])
    def test_after_its_end_one_from_before_for_more_reaches_there_no_longer(
        self, ann: RelationshipRef, is_settled: bool
    ) -> None:
        now = timezone.now()
        other = make_relationship(user=ann.user_external_id)
        give(ann, HEALTH, acted_at=now - MINUTE)
        give(ann, HEALTH, expires_at=now + MINUTE, **within(ann, "persona"))

        if is_settled:
            settle(ann.user_id, now=now + 2 * MINUTE)

        kept = {
            (one.id, minutes): may_keep(one, at=now + minutes * MINUTE)
            for one in (ann, other)
            for minutes in (0, 2)
        }
        assert kept == {
            (ann.id, 0): True,
            (ann.id, 2): False,
            (other.id, 0): True,
            (other.id, 2): True,
        }

    def test_one_for_more_that_came_later_reaches_there(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        give(ann, HEALTH, expires_at=now + MINUTE, **within(ann, "persona"))

        give(ann, HEALTH)

        assert may_keep(ann, at=now + 2 * MINUTE)

    def test_the_end_of_one_for_more_leaves_one_for_less(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()
        give(ann, HEALTH, **within(ann, "persona"))

        give(ann, HEALTH, expires_at=now + MINUTE)

        assert may_keep(ann, at=now + 2 * MINUTE)


class ConsentCount:
    @staticmethod
    def of(relationship: RelationshipRef) -> int:
        with access_scope(Purpose.SERVICE, user=relationship.user_id):
            return len(list_events(relationship.user_id, limit=100))


class TestWhatCannotBe:
    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"scope": "release"}, "scope"),
            ({"scope": "release:nothing"}, "scope"),
            ({"scope": "sensitive:nothing"}, "scope"),
            ({"scope": "elsewhere:region"}, "scope"),
            ({"scope": "Release:region"}, "scope"),
            ({"action": "expire"}, "action"),
            ({"target_kind": "everyone"}, "target"),
            ({"target_kind": "persona"}, "target"),
            ({"target_id": UUID(int=7)}, "target"),
            ({"surface": "billboard"}, "surface"),
            ({"surface": ""}, "surface"),
            ({"locale": "fr"}, "locale"),
            ({"text_sha256": "XYZ"}, "text_sha256"),
            ({"text_sha256": ""}, "text_sha256"),
            ({"shown_at": None}, "shown_at"),
            ({"evidence_id": ""}, "evidence_id"),
            ({"evidence_id": "a\0b"}, "evidence_id"),
            ({"policy_version": None}, "policy_version"),
            ({"text_number": 1}, "policy_version"),
        ],
    )
    def test_a_grant_is_refused_with_its_field(
        self, ann: RelationshipRef, fields: dict[str, Any], field: str
    ) -> None:
        text = text_of(REGION)

        with pytest.raises(InvalidConsent) as caught:
            tell(make_form(ann, fields.pop("scope", REGION), text=text, **fields))

        assert caught.value.field == field
        assert ConsentCount.of(ann) == 0

    @pytest.mark.parametrize(
        ("shift", "field"),
        [
            ({"acted_at": timedelta(minutes=6)}, "acted_at"),
            ({"shown_at": timedelta(minutes=1)}, "shown_at"),
            ({"expires_at": timedelta()}, "expires_at"),
            ({"expires_at": -MINUTE}, "expires_at"),
        ],
    )
    def test_times_must_be_in_order(
        self, ann: RelationshipRef, shift: dict[str, timedelta], field: str
    ) -> None:
        now = timezone.now()
        fields = {name: now + by for name, by in shift.items()}

        with pytest.raises(InvalidConsent) as caught:
            tell(make_form(ann, REGION, **{"acted_at": now} | fields), now=now)

        assert caught.value.field == field

    @pytest.mark.parametrize("kind", KINDS[1:])
    def test_a_target_must_be_there(self, ann: RelationshipRef, kind: str) -> None:
        with pytest.raises(ConsentTargetNotFound):
            give(ann, REGION, target_kind=kind, target_id=uuid4())

    def test_a_relationship_must_be_the_users(self, ann: RelationshipRef) -> None:
        with pytest.raises(ConsentTargetNotFound):
            give(ann, REGION, **within(make_relationship(), "relationship"))

    def test_a_persona_that_the_user_does_not_know_will_do(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, REGION, target_kind="persona", target_id=make_persona().pk)
        give(ann, REGION, target_kind="creator", target_id=make_creator().pk)

        assert set(read_states(ann).values()) == {"granted"}

    def test_it_needs_a_scope_of_the_user(self, ann: RelationshipRef) -> None:
        form, now = make_ending(ann, REGION), timezone.now()

        with pytest.raises(ScopeMissing):
            record(form, by=BY, now=now)
        with (
            access_scope(Purpose.SERVICE, user=make_relationship().user_id),
            pytest.raises(ScopeConflict),
        ):
            record(form, by=BY, now=now)


class TestMinors:
    @pytest.mark.parametrize("band", ["minor_14_17", "under_14"])
    @pytest.mark.parametrize("scope", ["release:spend_tier", "model_training"])
    @pytest.mark.parametrize("surface", ["chat", "guardian"])
    def test_nobody_consents_for_them_to_commerce_or_training(
        self, band: str, scope: str, surface: str
    ) -> None:
        mia = make_relationship(age_band=band)

        with pytest.raises(MinorCannotConsent):
            give(mia, scope, surface=surface)

    @pytest.mark.parametrize("scope", ["release:spend_tier", "model_training"])
    def test_adults_consent_to_both(self, scope: str) -> None:
        ann = make_relationship(age_band="adult")

        give(ann, scope)

        assert read_states(ann) == {(scope, "all"): "granted"}

    @pytest.mark.parametrize(
        ("is_minor", "expected"), [(True, MinorCannotConsent), (False, None)]
    )
    def test_a_setting_decides_about_unknown_ages(
        self, settings: Any, is_minor: bool, expected: type[ConsentError] | None
    ) -> None:
        settings.MINORS_UNKNOWN_COUNT_AS_MINOR = is_minor

        try:
            give(make_relationship(), "model_training")
            refused = None
        except MinorCannotConsent as exc:
            refused = type(exc)

        assert refused is expected

    def test_somebody_from_14_on_consents_to_the_rest_alone(self) -> None:
        mia = make_relationship(age_band="minor_14_17")

        give(mia, HEALTH)

        assert may_keep(mia)

    def test_for_a_child_only_a_guardian_consents(self) -> None:
        kim = make_relationship(age_band="under_14")

        with pytest.raises(GuardianNeeded):
            give(kim, REGION, surface="chat")
        give(kim, REGION, surface="guardian")

        assert read_states(kim) == {(REGION, "all"): "granted"}

    def test_a_child_withdraws_alone(self) -> None:
        kim = make_relationship(age_band="under_14")
        give(kim, REGION, surface="guardian")

        take_back(kim, REGION)

        assert read_states(kim) == {(REGION, "all"): "withdrawn"}

    def test_a_guardians_consent_comes_from_a_guardian(self) -> None:
        kim = make_relationship(age_band="under_14")

        with pytest.raises(InvalidConsent) as caught:
            give(kim, "guardian", surface="chat")

        assert caught.value.field == "surface"


class TestAChildsRelationship:
    @pytest.fixture
    def kim(self) -> RelationshipRef:
        return make_relationship(age_band="under_14")

    def test_it_is_closed_without_a_guardians_consent(
        self, kim: RelationshipRef
    ) -> None:
        assert find_closing(kim) == "minor-restricted"

    def test_it_opens_with_it(self, kim: RelationshipRef) -> None:
        give(kim, "guardian", surface="guardian")

        assert find_closing(kim) is None

    def test_it_closes_at_once_when_it_is_withdrawn(self, kim: RelationshipRef) -> None:
        give(kim, "guardian", surface="guardian")

        take_back(kim, "guardian")

        assert find_closing(kim) == "minor-restricted"

    def test_an_intimate_persona_stays_closed(self) -> None:
        kim = make_relationship(age_band="under_14", relationship_kind="intimate")

        give(kim, "guardian", surface="guardian")

        assert find_closing(kim) == "minor-restricted"

    def test_a_guardians_consent_for_another_persona_does_not_open_it(
        self, kim: RelationshipRef
    ) -> None:
        give(
            kim,
            "guardian",
            surface="guardian",
            target_kind="persona",
            target_id=make_persona().pk,
        )

        assert find_closing(kim) == "minor-restricted"

    def test_what_was_consented_before_the_age_was_told_is_denied(self) -> None:
        """A grant of commercial data that a minor could not have given."""
        tom = make_relationship(age_band="adult")
        give(tom, "model_training")
        GlobalUser.objects.filter(pk=tom.user_id).update(age_band="minor_14_17")
        tom = get_relationship(tom.id)

        with service_scope(tom, is_read=True):
            scopes = read_allowances(tom, now=timezone.now()).scopes

        assert scopes == frozenset()

    def test_what_the_child_consented_to_alone_is_denied_as_its_age_is_told(
        self,
    ) -> None:
        """PIPL, article 31: of a child under 14, what a guardian gave counts alone."""
        kim = make_relationship(age_band="unknown")
        give(kim, HEALTH)
        was_kept = may_keep(kim)

        GlobalUser.objects.filter(pk=kim.user_id).update(age_band="under_14")
        kim = get_relationship(kim.id)
        give(kim, "guardian", surface="guardian")
        is_kept = may_keep(kim)
        give(kim, HEALTH, surface="guardian")

        assert find_closing(kim) is None
        assert [was_kept, is_kept, may_keep(kim)] == [True, False, True]

    @pytest.mark.parametrize(
        ("band", "states"),
        [
            ("adult", ["granted", "granted", "granted"]),
            ("minor_14_17", ["needs_renewal", "needs_renewal", "granted"]),
            ("under_14", ["needs_renewal", "needs_renewal", "needs_renewal"]),
        ],
    )
    def test_what_the_age_denies_is_not_told_to_be_granted(
        self, band: str, states: list[str]
    ) -> None:
        tom = make_relationship(age_band="adult")
        scopes = ["model_training", "release:spend_tier", HEALTH]
        for scope in scopes:
            give(tom, scope)

        GlobalUser.objects.filter(pk=tom.user_id).update(age_band=band)

        told = read_states(tom)
        assert [told[scope, "all"] for scope in scopes] == states


def test_the_ledger_keeps_what_was_seen(ann: RelationshipRef) -> None:
    shown_at = timezone.now() - MINUTE
    event = give(ann, HEALTH, shown_at=shown_at, evidence_id="click-1")

    with access_scope(Purpose.SERVICE, user=ann.user_id):
        kept = ConsentEvent.objects.get(pk=event.pk)

    text = text_of(HEALTH)
    assert (kept.text_sha256, kept.locale) == (text.sha256, text.locale)
    assert (kept.shown_at, kept.surface, kept.actor) == (shown_at, "chat", BY)
    assert kept.evidence_id == "click-1"
