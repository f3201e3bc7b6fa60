"""How far a change for several people is: a bar, who was refused and why.

>>> bulk_facts(change)  # doctest: +SKIP
[('Done', <progress …> 12 of 40), …]
"""

from typing import Any
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from consent.bulk import MADE, REFUSED, BulkErasure, BulkExport
from consent.models import ChangeRequest
from identity.models import GlobalUser
from memsys.desk.carrying_out import sentence_of_code
from memsys.kernel.pages.columns import link, page_url, short_id

KINDS = (BulkErasure.code, BulkExport.code)
MAX_SHOWN = 50


def bulk_facts(row: ChangeRequest) -> list[tuple[Any, Any]]:
    """Return how far a decided change for several people is; nothing for others."""
    if row.kind not in KINDS or not row.result:
        return []
    refused: dict[str, str] = row.result.get(REFUSED, {})
    done, total = row.result.get(MADE, 0) + len(refused), len(row.payload["users"])
    bar = format_html(
        '<progress class="desk-progress" max="{}" value="{}" aria-label="{}"></progress>'
        " {}",
        total,
        done,
        _("Done"),
        _("%(done)d of %(total)d") % {"done": done, "total": total},
    )
    facts: list[tuple[Any, Any]] = [(_("Done"), bar)]
    if refused:
        facts.append((_("Refused"), _tell(refused)))
    return facts


def _tell(refused: dict[str, str]) -> Any:
    lines = (
        (link(page_url(GlobalUser, key), short_id(UUID(key))), sentence_of_code(code))
        for key, code in list(refused.items())[:MAX_SHOWN]
    )
    return format_html(
        "<div>{}{}</div>",
        format_html_join("", '<span class="desk-line">{} {}</span>', lines),
        "…" if len(refused) > MAX_SHOWN else "",
    )
