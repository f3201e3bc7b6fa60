"""The ZIP of an export: its files written one after the other, as their rows come.

Owns what is in the file and in which order: the sections in each format, then the pages
that lead to them, then the manifest with the hash of every file. Holds no rows.

>>> pack(about, sections, out=pieces, note_progress=print)  # doctest: +SKIP
0
100
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.template.loader import render_to_string
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from consent.exports.about import SCHEMA_VERSION, About
from consent.exports.formats import WRITERS, Writer, has_label, make_schema
from consent.exports.readme import write_readme
from consent.exports.stores import REASONS, list_missing
from consent.exports.values import to_plain
from consent.exports.wishes import HTML, JSON
from memsys.kernel.exporting import AI_GENERATED, ExportPart, Row, Section
from memsys.kernel.pages.codes import list_words

MANIFEST = "manifest.json"
OWNER_READS = 0o100600 << 16


class RowsChanged(Exception):
    """Something was deleted while the file was made: its formats tell not the same."""


@dataclass
class _Rows:
    """Rows on their way, counted: how many, and how many of them an AI made."""

    section: Section
    total: int = 0
    made_by_ai: int = 0

    def __iter__(self) -> Iterator[Row]:
        names = [column.name for column in self.section.columns]
        place = names.index(AI_GENERATED) if AI_GENERATED in names else None
        for row in self.section.rows():
            self.total += 1
            self.made_by_ai += place is not None and bool(row[place])
            yield row


@dataclass
class _Package:
    """A ZIP under way, and what the manifest says of its files."""

    packed: ZipFile
    about: About
    files: list[dict[str, Any]] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    made_by_ai: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, texts: Iterable[str], **told: Any) -> dict[str, Any]:
        """Write a file; what is told of it besides its size and hash is `told`."""
        at = localtime(self.about.made_at)
        entry = ZipInfo(path, date_time=at.timetuple()[:6])
        entry.compress_type, entry.external_attr = ZIP_DEFLATED, OWNER_READS
        digest, size = sha256(), 0
        with self.packed.open(entry, "w") as member:
            for text in texts:
                data = text.encode()
                member.write(data)
                digest.update(data)
                size += len(data)
        file = {"path": path, "bytes": size, "sha256": digest.hexdigest(), **told}
        self.files.append(file)
        return file

    def add_section(self, section: Section, code: str) -> None:
        """Write a section in one format.

        Raises:
            RowsChanged: another format had more or fewer rows.
        """
        path, write = _writer(code)
        rows = _Rows(section)
        texts = write(section, rows, self.about)
        file = self.add(
            path.format(section.name), texts, section=section.name, format=code
        )
        file["rows"] = rows.total
        if self.rows.setdefault(section.name, rows.total) != rows.total:
            raise RowsChanged
        if has_label(section):
            file[AI_GENERATED] = rows.made_by_ai
            self.made_by_ai[section.name] = rows.made_by_ai


def pack(
    about: About,
    sections: list[Section],
    *,
    out: Any,
    note_progress: Callable[[int], None],
) -> None:
    """Write the whole file in the language and time zone that are active.

    `note_progress` is told how much is done, in per cent, after each file.

    Raises:
        RowsChanged: something was deleted meanwhile.
    """
    jobs = [(section, code) for code in about.formats for section in sections]
    with ZipFile(out, "w", ZIP_DEFLATED) as packed:
        package = _Package(packed, about)
        for number, (section, code) in enumerate(jobs):
            note_progress(number * 99 // len(jobs))
            package.add_section(section, code)
        _add_pages(package, sections)
        manifest = _tell(package)
        package.add(MANIFEST, [json.dumps(manifest, ensure_ascii=False, indent=1)])


def _writer(code: str) -> tuple[str, Writer]:
    return WRITERS[code]


def _add_pages(package: _Package, sections: list[Section]) -> None:
    about = package.about
    if JSON in about.formats:
        for section in sections:
            schema = json.dumps(make_schema(section), ensure_ascii=False, indent=1)
            package.add(f"json/schema/{section.name}.json", [schema])
    shown: dict[str, Any] = {
        "about": about,
        "has_pages": HTML in about.formats,
        "sections": [(one, package.rows.get(one.name, 0)) for one in sections],
        "made_by_ai": sum(package.made_by_ai.values()),
        "parts": [ExportPart(one).label for one in about.parts],
        "missing": _reasons(about),
        "metadata": json.dumps(about.label_metadata()),
    }
    if HTML in about.formats:
        package.add("index.html", [render_to_string("exports/index.html", shown)])
    package.add("README.html", [render_to_string("exports/readme.html", shown)])
    text = write_readme(
        about,
        rows=[(one.label, count) for one, count in shown["sections"]],
        parts=shown["parts"],
        reasons=shown["missing"],
    )
    package.add("README.txt", [text])


def _reasons(about: About) -> list[str]:
    """Return why things are missing, each reason once, the parts by their names."""
    told: dict[str, list[str]] = {}
    for what, code in _missing(about):
        names = told.setdefault(code, [])
        if what in ExportPart:
            names.append(str(ExportPart(what).label))
    return [
        _("%(parts)s: %(reason)s")
        % {"parts": list_words(names), "reason": REASONS[code]}
        if names
        else str(REASONS[code])
        for code, names in told.items()
    ]


def _missing(about: About) -> list[tuple[str, str]]:
    return list_missing(
        about.parts,
        is_whole_user=about.relationship is None,
        for_staff=about.for_staff,
    )


def _tell(package: _Package) -> dict[str, Any]:
    """Return the manifest."""
    about = package.about
    made_by_ai = sum(package.made_by_ai.values())
    return {
        "schema_version": SCHEMA_VERSION,
        "export": str(about.export),
        "user": about.user,
        "relationship": to_plain(about.relationship),
        "parts": list(about.parts),
        "formats": list(about.formats),
        "for_staff": about.for_staff,
        "requested_by": about.requested_by,
        "reason_code": about.reason_code,
        "requested_at": to_plain(about.requested_at),
        "until": to_plain(about.requested_at),
        "made_at": to_plain(about.made_at),
        "language": about.language,
        "time_zone": about.time_zone,
        "ai_label": {
            "words": about.ai_label,
            "column": AI_GENERATED,
            "rows": package.made_by_ai,
        },
        **({"AIGC": about.label_metadata()} if made_by_ai else {}),
        "rows": package.rows,
        "files": package.files,
        "missing": [
            {"what": what, "why": code, "words": str(REASONS[code])}
            for what, code in _missing(about)
        ],
    }
