"""Which deeds take two persons: the list of compliance, and a kind for each of them."""

from django.conf import settings

from consent import approvals

# By its code, what compliance names it.
TWO_PERSONS = {
    "field_release": "field release",
    "sensitive_reveal": "unmasking what is sensitive",
    "minor_access": "a minor's data",
    "bulk_export": "bulk export",
    "bulk_erasure": "erasure of more than one subject",
    "recall_policy": "recall policy",
    "hold_lift": "hold release",
    "retention_shortening": "retention shortening",
    "role_grant": "role grant",
    "service_key": "key with personal data",
    "policy_text": "policy text",
}


def test_each_deed_that_takes_two_persons_has_its_kind_and_no_other_has() -> None:
    codes = [kind.code for kind in approvals.list_kinds()]

    assert len(codes) == len(settings.CHANGE_KINDS)
    assert set(codes) == set(TWO_PERSONS)


def test_each_kind_says_what_it_is() -> None:
    for kind in approvals.list_kinds():
        assert isinstance(kind, approvals.ChangeKind)
        assert str(kind.label)
