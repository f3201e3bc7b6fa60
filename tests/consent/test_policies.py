"""What closes a relationship, by table, and the gate that asks."""

from itertools import product
from typing import Any

import pytest

from consent.errors import GateClosed
from consent.gate import check_open
from consent.gate import may_keep_sensitive as gate_keeps
from consent.policies import (
    find_closing,
    find_grant_fault,
    is_barred_to_minors,
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
