"""What people ask for: taken down, paused, answered, refused, made one."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import override_settings

from consent import erasures, requests
from consent.errors import (
    InvalidRequest,
    NoDuplicate,
    RequestClosed,
    RequestNotFound,
)
from consent.models import SubjectRequest
from consent.requests import RequestForm
from consent.requests.letters import LATEST, LOCALES, read_text
from consent.requests.numbers import is_number
from consent.types import RefusalCode, RequestKind
from identity.errors import RelationshipNotFound
from identity.models import GlobalUser
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.factories.erasing import ask, run
from tests.factories.identity import make_relationship
from tests.factories.requests import BY, ask_for, nobody, reload, words_of

pytestmark = pytest.mark.django_db

# A Monday; the week after next holds the spring festival of 2026.
NOW = datetime(2026, 1, 5, 3, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def deeds_of(row: SubjectRequest) -> list[tuple[str, str]]:
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"request:{row.pk}")
        return list(rows.order_by("seq").values_list("action", "reason_code"))


def test_it_gets_a_number_and_is_due_after_fifteen_working_days() -> None:
    row = ask_for(make_relationship(), at=NOW)

    assert is_number(row.number)
    assert row.number.startswith("R-20260105-")
    assert (row.state, row.due_date) == ("open", date(2026, 1, 26))
    assert requests.target_date(NOW) == date(2026, 1, 14)


def test_no_day_of_a_holiday_counts() -> None:
    """The spring festival of 2026 rests from 15 to 23 February."""
    row = ask_for(make_relationship(), at=datetime(2026, 2, 9, 3, 0, tzinfo=UTC))

    assert row.due_date == date(2026, 3, 6)


def test_the_day_is_that_of_china() -> None:
    row = ask_for(make_relationship(), at=datetime(2026, 1, 5, 17, 0, tzinfo=UTC))

    assert row.number.startswith("R-20260106-")


@override_settings(REQUEST_WORKING_DAYS=5)
def test_a_shorter_time_can_be_set() -> None:
    row = ask_for(make_relationship(), at=NOW)

    assert row.due_date == date(2026, 1, 12)
    assert requests.target_date(NOW) == date(2026, 1, 12)


def test_its_words_pass_the_privacy_filter_and_are_nowhere_else() -> None:
    row = ask_for(make_relationship(), words="请删掉我的记录，电话 13800138000")

    assert words_of(row) == [("请删掉我的记录，电话 [手机号]", False)]
    with staff_role():
        bodies = AuditPayload.objects.filter(subject=row.global_user_id)
        assert not any("请删掉" in str(one.body) for one in bodies)


def test_numbers_are_there_once() -> None:
    rows = [ask_for(make_relationship(), "complaint") for _ in range(20)]

    assert len({row.number for row in rows}) == 20


@pytest.mark.parametrize("kind", ["", "everything"])
def test_it_refuses_what_nobody_can_ask_for(kind: str) -> None:
    with pytest.raises(InvalidRequest):
        ask_for(make_relationship(), kind)


def test_it_refuses_a_stranger_and_the_relationship_of_another() -> None:
    ann, ben = make_relationship(), make_relationship()

    with pytest.raises(RequestNotFound):
        requests.receive(RequestForm(nobody(), "access"), by=BY, now=NOW)
    with pytest.raises(RelationshipNotFound):
        requests.receive(
            RequestForm(ann.user_id, "access", relationship_id=ben.id), by=BY, now=NOW
        )


class TestPause:
    def test_paused_days_do_not_count(self) -> None:
        row = ask_for(make_relationship(), at=NOW)

        paused = requests.pause(row.pk, code="more_details", by=BY, now=NOW + DAY)
        resumed = requests.resume(row.pk, by=BY, now=NOW + 4 * DAY)

        assert (paused.state, paused.due_date) == ("paused", date(2026, 1, 26))
        assert (resumed.state, resumed.due_date) == ("open", date(2026, 1, 29))
        assert resumed.paused_at is None

    def test_a_pause_over_a_weekend_moves_no_more_than_its_working_days(self) -> None:
        row = ask_for(make_relationship(), at=NOW)

        requests.pause(row.pk, code="identity_proof", by=BY, now=NOW + 4 * DAY)
        resumed = requests.resume(row.pk, by=BY, now=NOW + 7 * DAY)

        assert resumed.due_date == date(2026, 1, 27)

    def test_it_needs_a_reason_that_lies_with_the_person(self) -> None:
        row = ask_for(make_relationship())

        with pytest.raises(InvalidRequest):
            requests.pause(row.pk, code="holiday", by=BY, now=NOW)

    def test_one_that_is_paused_is_not_paused_again_nor_one_that_runs_resumed(
        self,
    ) -> None:
        row = ask_for(make_relationship())
        with pytest.raises(RequestClosed):
            requests.resume(row.pk, by=BY, now=NOW)

        requests.pause(row.pk, code="identity_proof", by=BY, now=NOW)

        with pytest.raises(RequestClosed):
            requests.pause(row.pk, code="identity_proof", by=BY, now=NOW)


class TestAnswer:
    def test_it_is_closed_with_its_outcome_and_words(self) -> None:
        row = ask_for(make_relationship(), at=NOW, words="我要一份副本")

        done = requests.answer(
            row.pk, outcome="done", words="副本已备好。", by=BY, now=NOW
        )

        assert (done.state, done.outcome_code, done.closed_by) == ("done", "done", BY)
        assert words_of(row) == [("我要一份副本", False), ("副本已备好。", True)]
        assert deeds_of(row) == [("request.received", ""), ("request.answered", "done")]

    def test_it_can_be_answered_while_it_is_paused(self) -> None:
        row = ask_for(make_relationship())
        requests.pause(row.pk, code="identity_proof", by=BY, now=NOW)

        done = requests.answer(
            row.pk, outcome="taken_back", words="已撤回", by=BY, now=NOW
        )

        assert (done.state, done.paused_at) == ("done", None)

    @pytest.mark.parametrize("words", ["", " ", "\u200b"])
    def test_it_needs_words(self, words: str) -> None:
        row = ask_for(make_relationship())

        with pytest.raises(InvalidRequest):
            requests.answer(row.pk, outcome="done", words=words, by=BY, now=NOW)

        assert reload(row).state == "open"

    def test_it_is_answered_once(self) -> None:
        row = ask_for(make_relationship())
        requests.answer(row.pk, outcome="done", words="好了", by=BY, now=NOW)

        with pytest.raises(RequestClosed):
            requests.answer(row.pk, outcome="done", words="好了", by=BY, now=NOW)
        with pytest.raises(RequestClosed):
            requests.refuse(row.pk, reason="no_right", words="不行", by=BY, now=NOW)


class TestRefusal:
    def refuse(self, row: SubjectRequest, reason: str = "law_keeps") -> SubjectRequest:
        return requests.refuse(
            row.pk, reason=reason, words="账目须保存至明年。", by=BY, now=NOW
        )

    def test_it_has_a_reason_words_and_a_way_to_object(self) -> None:
        row = self.refuse(ask_for(make_relationship(), "erase"))

        letter = requests.find_letter(row)

        assert row.state == "refused"
        assert deeds_of(row)[-1] == ("request.refused", "law_keeps")
        assert letter is not None
        assert "保存期限" in letter.reason
        assert any("人民法院" in one for one in letter.text.remedy)
        assert letter.kind == "删除个人信息"

    def test_it_is_in_the_language_of_the_person_and_stays_so(self) -> None:
        ann = make_relationship(locale="en-GB")
        row = self.refuse(ask_for(ann))

        GlobalUser.objects.filter(pk=ann.user_id).update(locale="zh-hans")

        letter = requests.find_letter(reload(row))
        assert letter is not None
        assert letter.locale == "en"
        assert "people's court" in " ".join(letter.text.remedy)

    def test_it_needs_a_reason_from_the_list(self) -> None:
        row = ask_for(make_relationship())

        with pytest.raises(InvalidRequest):
            self.refuse(row, "no_time")

    def test_what_was_answered_has_no_letter(self) -> None:
        row = ask_for(make_relationship())
        done = requests.answer(row.pk, outcome="done", words="好了", by=BY, now=NOW)

        assert requests.find_letter(done) is None


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("version", range(1, LATEST + 1))
def test_a_letter_has_words_for_every_kind_and_reason(
    locale: str, version: int
) -> None:
    text = read_text(version, locale)

    assert set(text.reasons) == set(RefusalCode.values)
    assert set(text.kinds) == set(RequestKind.values)
    assert set(text.labels) == set(read_text(1, "en").labels)
    assert len(text.remedy) == 3


class TestDuplicates:
    def test_what_is_asked_for_again_becomes_part_of_the_first(self) -> None:
        ann = make_relationship()
        first = ask_for(ann, "erase", words="删掉")

        again = ask_for(ann, "erase", words="怎么还没删")

        assert (again.state, again.outcome_code) == ("done", "duplicate")
        assert again.duplicate_of == first.pk
        assert again.number != first.number
        assert [words for words, _ in words_of(first)] == ["删掉", "怎么还没删"]
        assert list(requests.list_duplicates(first)) == [again]

    def test_what_differs_in_relationship_or_person_is_another(self) -> None:
        ann = make_relationship()
        other = make_relationship(user=ann.user_external_id)
        rows = [
            ask_for(ann, "erase"),
            ask_for(other, "erase"),
            ask_for(ann, "erase", whole=True),
            ask_for(make_relationship(), "erase"),
            ask_for(ann, "access"),
        ]

        assert {row.state for row in rows} == {"open"}

    def test_two_complaints_are_two_until_somebody_makes_them_one(self) -> None:
        ann = make_relationship()
        first = ask_for(ann, "complaint", words="太慢")
        second = ask_for(ann, "complaint", words="还是太慢")

        merged = requests.merge(second.pk, into=first.pk, by=BY, now=NOW)

        assert list(requests.list_same(reload(first))) == []
        assert merged.duplicate_of == first.pk
        assert len(words_of(first)) == 2

    def test_the_earlier_due_date_and_what_was_done_go_along(self) -> None:
        ann = make_relationship()
        first = ask_for(ann, "complaint", at=NOW)
        second = ask_for(ann, "complaint", at=NOW + 7 * DAY)
        requests.link(first.pk, deed="export:1", by=BY)

        requests.merge(first.pk, into=second.pk, by=BY, now=NOW + 7 * DAY)

        kept = reload(second)
        assert kept.due_date == first.due_date < second.due_date
        assert kept.deeds == ["export:1"]

    def test_it_makes_no_one_of_what_is_not_the_same(self) -> None:
        ann = make_relationship()
        first, other = ask_for(ann, "complaint"), ask_for(ann, "explain")
        foreign = ask_for(make_relationship(), "complaint")

        for into in (first.pk, other.pk, foreign.pk):
            with pytest.raises(NoDuplicate):
                requests.merge(first.pk, into=into, by=BY, now=NOW)
        with pytest.raises(RequestNotFound):
            requests.merge(first.pk, into=nobody(), by=BY, now=NOW)

    def test_it_is_not_merged_into_one_that_is_answered(self) -> None:
        ann = make_relationship()
        first, second = ask_for(ann, "complaint"), ask_for(ann, "complaint")
        requests.answer(first.pk, outcome="explained", words="解释", by=BY, now=NOW)

        with pytest.raises(RequestClosed):
            requests.merge(second.pk, into=first.pk, by=BY, now=NOW)


class TestWork:
    def test_it_is_given_to_somebody_and_back(self) -> None:
        row = ask_for(make_relationship())

        requests.assign(row.pk, to=7, by=BY)
        requests.assign(row.pk, to=7, by=BY)

        assert reload(row).assigned_to == 7
        assert deeds_of(row)[1:] == [("request.assigned", "")]
        assert requests.assign(row.pk, to=None, by=BY).assigned_to is None

    def test_it_notes_what_was_done_for_it_once(self) -> None:
        ann = make_relationship()
        row = ask_for(ann, "erase")
        wish = ask(erasures.Target(ann.user_id, ann.id), at_once=False)

        for _ in range(2):
            requests.link(row.pk, deed=f"erasure:{wish.pk}", by=BY)

        assert reload(row).deeds == [f"erasure:{wish.pk}"]
        assert [action for action, _ in deeds_of(row)].count("request.linked") == 1

    def test_there_is_no_deed_on_what_is_not_there(self) -> None:
        with pytest.raises(RequestNotFound):
            requests.assign(nobody(), to=1, by=BY)


def test_its_words_go_when_the_person_is_erased_and_its_number_stays() -> None:
    """Acceptance row 21."""
    ann = make_relationship()
    row = ask_for(ann, "complaint", words="暗号-7731", whole=True)

    run(ask(erasures.Target(ann.user_id)))

    assert words_of(row) == []
    assert reload(row).number == row.number
