"""Every table that holds something of a person is in an export, or a reason says why not.

The sections are those that the apps give; the tables are those of the erasures' registry.
"""

from datetime import UTC, datetime
from uuid import UUID

from django.apps import apps

from consent.erasures import ERASED, KEPT
from consent.exports import EXPORTED, LEFT_OUT, REASONS
from consent.exports.running import list_sections
from memories.exported import Origin
from memories.types import MemoryAuthor
from memsys.kernel.exporting import ExportPart, ExportSubject, Section

# What has rows of a table that another section tells of too, or texts of this house.
BESIDE = {
    "earlier_wordings", "sensitive_memories", "private_notes", "consent_texts",
}  # fmt: skip


def list_all(*, for_staff: bool = True) -> list[Section]:
    subject = ExportSubject(
        UUID(int=1), (), True, datetime(2026, 1, 1, tzinfo=UTC), for_staff=for_staff
    )
    return list_sections(subject, [str(part) for part in ExportPart])


def test_it_sorts_each_table_of_a_person_into_a_section_or_a_reason() -> None:
    assert set(EXPORTED) | set(LEFT_OUT) == set(ERASED) | set(KEPT)
    assert set(EXPORTED) & set(LEFT_OUT) == set()


def test_it_names_sections_that_there_are_and_misses_none() -> None:
    names = [section.name for section in list_all()]

    assert sorted(names) == sorted(set(names))
    assert set(names) == set(EXPORTED.values()) | BESIDE


def test_it_gives_a_reason_for_all_that_is_left_out() -> None:
    assert set(LEFT_OUT.values()) <= set(REASONS)


def test_words_of_a_person_are_left_out_only_as_copies_or_drafts() -> None:
    """What is classed as sensitive is told, unless another section tells the same.

    The payloads of the audit hold what staff wrote about their own deeds.
    """
    sensitive = {
        model._meta.db_table
        for model in apps.get_models()
        if getattr(getattr(model, "Privacy", None), "sensitive", ())
    }

    reasons = {LEFT_OUT[table] for table in sensitive & set(LEFT_OUT)}
    assert reasons <= {"copies", "drafts", "digests", "audit"}


def test_each_part_has_a_section_and_each_section_a_part() -> None:
    assert {section.part for section in list_all()} == set(ExportPart)


def test_what_is_for_the_staff_is_in_nobody_elses_file() -> None:
    parts = {section.part for section in list_all(for_staff=False)}

    assert parts == set(ExportPart) - {ExportPart.SENSITIVE, ExportPart.PRIVATE}


def test_columns_have_names_of_their_own_that_files_can_bear() -> None:
    for section in list_all():
        names = [column.name for column in section.columns]
        assert len(names) == len(set(names))
        assert all(name.isidentifier() and name.islower() for name in names)


def test_it_has_words_for_every_author_of_a_memory() -> None:
    assert set(Origin.values) == set(MemoryAuthor.values)
