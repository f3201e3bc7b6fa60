"""Many who take one file at once: one has it, the others are told that it is gone."""

import pytest
from django.utils import timezone

from consent import exports
from consent.errors import ExportGone
from consent.models import ExportRun
from tests.factories.exporting import PLANTED, count_pieces, plant_export
from tests.factories.identity import make_relationship
from tests.parallel import run_parallel

pytestmark = pytest.mark.usefixtures("real_commits")


def test_taken_by_many_at_once_it_goes_once() -> None:
    """Acceptance row C26."""
    run = plant_export(make_relationship())

    def take(number: int) -> bytes:
        try:
            file = exports.open_file(run.pk, by=f"service:{number}", now=timezone.now())
            return b"".join(file)
        except ExportGone:
            return b""

    taken = run_parallel(6, take)

    assert sorted(taken) == [b""] * 5 + [PLANTED]
    assert ExportRun.objects.get(pk=run.pk).state == "taken"
    assert count_pieces(run.global_user_id) == 0
