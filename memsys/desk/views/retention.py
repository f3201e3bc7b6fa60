"""How long each class of data is kept, what goes tonight, and shorter times.

>>> reverse("admin:retention")
'/desk/retention/'
"""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent import retention
from consent.models import ChangeRequest, RetentionRun
from consent.retention import RetentionShortening, Standing
from memsys.desk.carrying_out import try_out
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.roles import may
from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.columns import page_url

NIGHT_BEGINS = 1  # as the schedule of the job says
MOST_LOOKED = 200
NIGHTS = 14
JOBS = {
    "retention": gettext_lazy("The job of the night"),
    "field": gettext_lazy("The job of the night, by the days of each field"),
    "cache": gettext_lazy("It expires in the cache"),
    "none": gettext_lazy("Nothing: it only grows"),
}


class ShorteningForm(WordsForm):
    """Which class of data, and for how many days."""

    data_class = forms.ChoiceField(label=gettext_lazy("Class of data"))
    days = forms.IntegerField(label=gettext_lazy("Days then"), min_value=0)
    field_order = ("data_class", "days", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["data_class"].choices = [  # type: ignore[attr-defined]
            (one.kept.code, _bounds(one))
            for one in retention.list_standings()
            if one.kept.is_settable and (one.days or 0) > one.kept.floor
        ]


def _bounds(one: Standing) -> str:
    return _("%(class)s: %(days)d days now, at least %(floor)d") % {
        "class": one.kept.title,
        "days": one.days,
        "floor": one.kept.floor,
    }


@page("retention/", name="retention", permission=Permission.SEE_GOVERNANCE)
def show_retention(request: HttpRequest) -> HttpResponseBase:
    """Show the classes with their times, and what the last nights did."""
    links = [(_("What goes tonight"), reverse("admin:retention_tonight"))]
    if may(request.user, Permission.PROPOSE_RETENTION):
        url = reverse("admin:propose_retention")
        links.append((_("Ask for a shorter time"), url))
    return show(
        request,
        "desk/retention.html",
        title=_("Times of keeping"),
        list_links=links,
        classes=[_tell(one) for one in retention.list_standings()],
        nights=[
            {
                "night": row.night,
                "looked": row.looked,
                "counts": _lines(row.counts),
                "kept": _lines(row.kept),
                "is_finished": row.finished_at is not None,
            }
            for row in RetentionRun.objects.order_by("-night")[:NIGHTS]
        ],
    )


def _tell(one: Standing) -> dict[str, Any]:
    kept, shorter = one.kept, one.override
    return {
        "title": kept.title,
        "reason": kept.reason,
        "days": one.days,
        "default": kept.days,
        "setting": one.setting,
        "shorter": shorter.days if shorter else None,
        "shorter_url": page_url(ChangeRequest, shorter.change_request)
        if shorter
        else "",
        "floor": kept.floor if kept.days is not None else None,
        "ceiling": kept.ceiling,
        "job": JOBS.get(kept.job, _("A job of its own")),
    }


def _lines(counts: dict[str, int]) -> list[tuple[str, int]]:
    titles = {one.code: one.title for one in retention.list_classes()}
    return [(titles.get(code, code), count) for code, count in sorted(counts.items())]


@page(
    "retention/tonight/", name="retention_tonight", permission=Permission.SEE_GOVERNANCE
)
def show_tonight(request: HttpRequest) -> HttpResponseBase:
    """Work out what the next night deletes, and what stays and why."""
    now = timezone.now()
    begins = next_night(now)
    made = retention.plan(now=now, until=begins, limit=MOST_LOOKED)
    return show(
        request,
        "desk/retention_tonight.html",
        title=_("What goes tonight"),
        back=reverse("admin:retention"),
        begins=begins,
        made=made,
        counts=_lines(dict(made.counts)),
        kept=[
            (words_of("reason_code", why), title, count)
            for why, counts in sorted(made.kept.items())
            for title, count in _lines(dict(counts))
        ],
    )


def next_night(now: datetime) -> datetime:
    """Return when the next night begins."""
    local = localtime(now)
    begins = local.replace(hour=NIGHT_BEGINS, minute=0, second=0, microsecond=0)
    return begins if begins > local else begins + timedelta(days=1)


@page(
    "retention/propose/",
    name="propose_retention",
    permission=Permission.PROPOSE_RETENTION,
    methods=("GET", "POST"),
)
def propose_retention(request: HttpRequest) -> HttpResponseBase:
    """Ask for a class of data to be kept for fewer days; another person decides."""
    form = ShorteningForm(request.POST or None)

    def deed() -> str:
        told = form.cleaned_data
        return propose(
            request,
            RetentionShortening.code,
            {"data_class": told["data_class"], "days": told["days"]},
            object_ref=f"data_class:{told['data_class']}",
            words=form.words,
        )

    done = _("You asked for it. The time stays as it is until another agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Ask for a shorter time"),
        form=form,
        back=reverse("admin:retention"),
        button=_("Ask for it"),
        sentences=[
            _(
                "What is older goes in the night after the second person has agreed, "
                "and does not come back. No time goes below what the law asks for."
            ),
        ],
    )
