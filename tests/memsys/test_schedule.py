"""What beat starts: jobs that there are, told in the README, the night at night."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from celery.schedules import crontab
from django.conf import settings

from memsys.celery import app

README = (Path(settings.BASE_DIR) / "README.md").read_text(encoding="utf-8")
JOBS = sorted(entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values())


@pytest.mark.parametrize("job", JOBS)
def test_it_starts_jobs_that_there_are(job: str) -> None:
    app.loader.import_default_modules()

    assert job in app.tasks
    assert f"`{job}`" in README


@pytest.mark.parametrize(
    ("hour", "is_due"), [(0, False), (2, False), (3, True), (5, True), (6, False)]
)
def test_it_consolidates_at_night_where_the_users_are(hour: int, is_due: bool) -> None:
    now = datetime(2026, 11, 30, hour, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
    entry = app.conf.beat_schedule["sweep-consolidation"]["schedule"]

    night = crontab(
        minute=entry._orig_minute, hour=entry._orig_hour, nowfun=lambda: now, app=app
    )

    waits = night.remaining_estimate(now - timedelta(minutes=1))
    assert app.conf.timezone == "Asia/Shanghai"
    assert (waits.total_seconds() <= 0) is is_due
