"""What closes a relationship, by table, and the gate that asks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from consent.errors import GateClosed
from consent.gate import check_open
from consent.gate import may_keep_sensitive as gate_keeps
from consent.policies import (
    Said,
    find_closing,
    find_grant_fault,
    is_barred_to_minors,
    list_holding,
    may_keep_sensitive,
)
from identity.scopes import service_scope
from identity.services import mark_synthetic
from identity.types import (
    AgeBand,
    RelationshipKind,
    RelationshipStatus,
    UserStatus,
)
from memsys.kernel.scope import ScopeMissing
from tests.factories.identity import make_relationship, new_name

OPEN = {
    "status": "active",
    "user_status": "active",
    "age_band": "adult",
    "relationship_kind": "friend",
    "unknown_is_minor": False,
}
EVERY_CASE = list(
    product(
        RelationshipStatus.values,
        UserStatus.values,
        AgeBand.values,
        RelationshipKind.values,
        [False, True],
    )
)


@pytest.mark.parametrize(
    ("differs", "code"),
    [
        ({}, None),
        ({"status": "ended"}, "relationship-ended"),
        ({"status": "paused"}, "relationship-paused"),
        ({"status": "restricted"}, "relationship-restricted"),
        ({"user_status": "closed"}, "user-closed"),
        ({"user_status": "closed", "status": "paused"}, "user-closed"),
        ({"age_band": "under_14"}, "minor-restricted"),
        ({"age_band": "under_14", "relationship_kind": "service"}, "minor-restricted"),
        ({"age_band": "under_14", "status": "ended"}, "relationship-ended"),
        ({"age_band": "minor_14_17"}, None),
        ({"age_band": "minor_14_17", "relationship_kind": "service"}, None),
        (
            {"age_band": "minor_14_17", "relationship_kind": "intimate"},
            "minor-restricted",
        ),
        ({"relationship_kind": "intimate"}, None),
        ({"age_band": "unknown", "relationship_kind": "intimate"}, None),
        (
            {
                "age_band": "unknown",
                "relationship_kind": "intimate",
                "unknown_is_minor": True,
            },
            "minor-restricted",
        ),
        ({"age_band": "unknown", "unknown_is_minor": True}, None),
        ({"unknown_is_minor": True, "relationship_kind": "intimate"}, None),
    ],
)
def test_it_names_what_closes_a_relationship(
    differs: dict[str, Any], code: str | None
) -> None:
    assert find_closing(**OPEN | differs) == code


@pytest.mark.parametrize("case", EVERY_CASE)
def test_it_is_open_only_when_nothing_speaks_against_it(case: Any) -> None:
    status, user_status, age_band, kind, unknown_is_minor = case
    counts_as_minor = age_band in ("minor_14_17", "under_14") or (
        age_band == "unknown" and unknown_is_minor
    )

    code = find_closing(
        status=status,
        user_status=user_status,
        age_band=age_band,
        relationship_kind=kind,
        unknown_is_minor=unknown_is_minor,
    )

    may_be_open = (
        (status, user_status) == ("active", "active")
        and age_band != "under_14"
        and not (counts_as_minor and kind == "intimate")
    )
    assert (code is None) == may_be_open


@pytest.mark.parametrize("status", ["", "ACTIVE", "gone"])
def test_a_status_that_nobody_knows_opens_nothing(status: str) -> None:
    with pytest.raises(ValueError, match="RelationshipStatus"):
        find_closing(**OPEN | {"status": status})


@pytest.mark.parametrize(
    ("category", "is_synthetic", "is_granted", "may"),
    [
        ("diagnosis", True, False, True),
        ("diagnosis", False, True, True),
        ("diagnosis", False, False, False),
        ("", True, True, False),
        ("", False, False, False),
    ],
)
def test_it_keeps_what_is_sensitive_with_a_grant_of_its_category(
    category: str, is_synthetic: bool, is_granted: bool, may: bool
) -> None:
    kept = may_keep_sensitive(
        category=category, is_synthetic=is_synthetic, is_granted=is_granted
    )

    assert kept == may


@pytest.mark.parametrize(
    ("differs", "code"),
    [
        ({}, None),
        ({"relationship_kind": "service"}, None),
        ({"relationship_kind": "intimate"}, "minor-restricted"),
        ({"status": "paused"}, "relationship-paused"),
        ({"user_status": "closed"}, "user-closed"),
    ],
)
def test_a_guardians_consent_opens_a_childs_relationship(
    differs: dict[str, Any], code: str | None
) -> None:
    of_child = OPEN | {"age_band": "under_14", "has_guardian": True}

    assert find_closing(**of_child | differs) == code


@pytest.mark.parametrize(
    ("scope", "data_class", "is_barred"),
    [
        ("release:spend_tier", "commercial", True),
        ("release:region", "stable", False),
        ("model_training", "", True),
        ("sensitive:diagnosis", "", False),
        ("guardian", "", False),
    ],
)
def test_it_knows_what_nobody_consents_to_for_a_minor(
    scope: str, data_class: str, is_barred: bool
) -> None:
    assert is_barred_to_minors(scope, data_class=data_class) == is_barred


@pytest.mark.parametrize(
    ("scope", "surface", "age_band", "fault"),
    [
        ("release:region", "chat", "adult", None),
        ("release:region", "chat", "minor_14_17", None),
        ("release:region", "chat", "under_14", "guardian-needed"),
        ("release:region", "guardian", "under_14", None),
        ("model_training", "guardian", "under_14", "minor-cannot-consent"),
        ("model_training", "chat", "minor_14_17", "minor-cannot-consent"),
        ("guardian", "chat", "under_14", "guardian-needed"),
        ("guardian", "portal", "unknown", "guardian-needed"),
        ("guardian", "guardian", "under_14", None),
    ],
)
def test_it_names_what_bars_a_grant_for_age(
    scope: str, surface: str, age_band: str, fault: str | None
) -> None:
    found = find_grant_fault(
        scope=scope, surface=surface, age_band=age_band, unknown_is_minor=False
    )

    assert found == fault


@pytest.mark.django_db
class TestTheGate:
    def test_it_keeps_nothing_sensitive_of_a_real_user(self) -> None:
        ann = make_relationship()

        with service_scope(ann, is_read=True):
            is_kept = gate_keeps(ann, "diagnosis")

        assert not is_kept

    def test_it_answers_for_nobody_outside_of_a_scope(self) -> None:
        with pytest.raises(ScopeMissing):
            gate_keeps(make_relationship(), "diagnosis")

    def test_a_user_of_the_demo_holds_every_grant(self) -> None:
        name = new_name("user")
        mark_synthetic(name, by="command:tests")

        assert gate_keeps(make_relationship(user=name), "diagnosis")

    def test_it_lets_an_open_relationship_pass(self) -> None:
        check_open(make_relationship())

    def test_it_refuses_a_closed_one_with_its_code_and_no_name(self) -> None:
        ben = make_relationship(status="paused")

        with pytest.raises(GateClosed) as caught:
            check_open(ben)

        assert caught.value.code == "relationship-paused"
        assert ben.user_external_id not in str(caught.value)

    @pytest.mark.parametrize(("is_minor", "is_closed"), [(False, False), (True, True)])
    def test_a_setting_decides_about_unknown_ages(
        self, settings: Any, is_minor: bool, is_closed: bool
    ) -> None:
        settings.MINORS_UNKNOWN_COUNT_AS_MINOR = is_minor
        ann = make_relationship(relationship_kind="intimate")

        try:
            check_open(ann)
            was_closed = False
        except GateClosed:
            was_closed = True

        assert was_closed == is_closed


NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def make_said(kind: str = "all", hour: int = 0, **fields: Any) -> Said:
    """Make a grant that was given so many hours after noon."""
    told = {"scope": "release:region", "status": "granted"} | fields
    return Said(uuid4(), target_kind=kind, granted_at=NOON + hour * HOUR, **told)


def make_no(kind: str = "all", hour: int = 0) -> Said:
    ended = {"status": "withdrawn", "ended_at": NOON + hour * HOUR}
    return replace(make_said(kind, **ended), granted_at=None)


@pytest.mark.parametrize(
    ("said", "holding"),
    [
        ([make_said()], [True]),
        ([make_said(status="expired")], [False]),
        ([make_said(expires_at=NOON + 5 * HOUR)], [False]),
        ([make_said(expires_at=NOON + 6 * HOUR)], [True]),
        ([make_said(renewal_from=NOON + 5 * HOUR)], [False]),
        ([make_said(renewal_from=NOON + 6 * HOUR)], [True]),
        # A later no, for more or less, is heard; an earlier one is overtaken.
        ([make_said(), make_no("relationship", 1)], [False, False]),
        ([make_said("relationship"), make_no("all", 1)], [False, False]),
        ([make_said(hour=1), make_no("relationship")], [True, False]),
        ([make_said(hour=1), make_no("relationship", 1)], [False, False]),
        # The end of a later one for less denies; of one for more, or before, not.
        (
            [make_said(), make_said("persona", 1, expires_at=NOON + 2 * HOUR)],
            [False, False],
        ),
        (
            [make_said(hour=2), make_said("persona", 1, expires_at=NOON + 2 * HOUR)],
            [True, False],
        ),
        (
            [make_said("persona"), make_said("all", 1, expires_at=NOON + 2 * HOUR)],
            [True, False],
        ),
        # Another scope is another matter.
        (
            [make_said(), replace(make_no("all", 1), scope="release:locale")],
            [True, False],
        ),
    ],
    ids=[str(number) for number in range(14)],
)
def test_it_knows_which_grants_hold(said: list[Said], holding: list[bool]) -> None:
    now = NOON + 5 * HOUR

    found = list_holding(said, now=now, taken_over_at=None)

    assert [one in found for one in said] == holding


@pytest.mark.parametrize(
    ("scope", "hours", "holds"),
    [
        ("release:region", -1, True),
        ("release:region", 0, False),
        ("release:region", 1, False),
        ("sensitive:diagnosis", 1, True),
        ("guardian", 1, True),
    ],
)
def test_a_release_is_not_handed_on(scope: str, hours: int, holds: bool) -> None:
    grant = make_said(scope=scope)

    found = list_holding(
        [grant], now=NOON + 5 * HOUR, taken_over_at=NOON + hours * HOUR
    )

    assert bool(found) is holds
