"""A module of personal data for tests: one section, which does what a test wants.

>>> midway = Midway(deed=lambda: None)
"""

from collections.abc import Iterator

from memsys.kernel.exporting import Column, ExportPart, ExportSubject, Row, Section
from tests.factories.exporting import Midway

ERASURE_STEPS = ()
midway = Midway()


def export_sections(subject: ExportSubject) -> list[Section]:
    def rows() -> Iterator[Row]:
        midway.deed()
        count = midway.rows.pop(0) if midway.rows else 1
        yield from [("x",)] * count

    columns = (Column("word", "Word"),)
    return [Section("midway", ExportPart.REQUESTS, "Midway", columns, rows)]
