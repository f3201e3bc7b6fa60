"""Jobs are asked for after the commit, by the modules that are there for it.

A job that is asked for inside a transaction may run before the commit, and runs even if
that never comes.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings

from tests.rules.sources import MODULES, name_of, parse

# Of Celery itself: what puts a job into the queue at once.
AT_ONCE = {"delay", "apply_async", "send_task", "signature", "delay_on_commit"}
SENDERS = {
    "consent/enqueue.py",
    "memories/enqueue.py",
    "memsys/kernel/jobs.py",
    # A rehearsal plays the part of beat.
    "memsys/chaos/directing.py",
}
# Of ours: they send at once too, and are called where no transaction is open.
OURS = {"send", "send_job", "send_session", "send_consolidation"}
# Given out again while they run, these find that another has the lease.
LEASED = {"consent.run_export"}
CALLERS = {
    "memsys/kernel/outbox.py": "from on_commit",
    "memsys/desk/views/chains.py": "of a page that changes nothing",
}
SCOPES_OF_SENDING = ("consent.enqueue", "memories.enqueue", "memsys.kernel.jobs")


def list_calls(path: Path, names: set[str]) -> Iterator[str]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call):
            called = node.func
            name = getattr(called, "attr", getattr(called, "id", ""))
            if name in names:
                yield name


def list_sent(path: Path) -> list[str]:
    """Return the calls of what was imported from the modules that send."""
    imported = {
        one.asname or one.name
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.module in SCOPES_OF_SENDING
        for one in node.names
        if one.name in OURS
    }
    return list(list_calls(path, imported))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_it_leaves_sending_to_the_modules_for_it(path: Path) -> None:
    """Acceptance row C27."""
    if name_of(path) not in SENDERS:
        assert list(list_calls(path, AT_ONCE)) == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_it_sends_at_once_from_jobs_alone(path: Path) -> None:
    """Acceptance row C27: all others ask for a job once their deed commits."""
    is_job = path.name == "tasks.py"
    if not is_job and name_of(path) not in SENDERS | CALLERS.keys():
        assert list_sent(path) == []


@pytest.mark.parametrize(
    "path", [one for one in MODULES if one.name == "enqueue.py"], ids=name_of
)
def test_what_a_service_calls_waits_for_the_commit(path: Path) -> None:
    """Acceptance row C27."""
    asking = [
        node
        for node in parse(path).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("enqueue")
    ]

    assert asking
    for function in asking:
        assert "on_commit" in ast.unparse(function)


def test_every_job_that_beat_starts_is_there_and_late_ones_expire() -> None:
    current_app.loader.import_default_modules()

    for name, planned in current_app.conf.beat_schedule.items():
        assert planned["task"] in current_app.tasks, name
        assert planned["options"]["expires"], name


def test_no_job_is_given_out_again_while_it_runs() -> None:
    """Acceptance row C26: one whose worker dies is run again, and not before it ends.

    What takes longer than the broker waits is not given out again at all.
    """
    current_app.loader.import_default_modules()
    waits = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    limits = {
        name: (task.acks_late, task.time_limit or current_app.conf.task_time_limit)
        for name, task in current_app.tasks.items()
        if not name.startswith("celery.")
    }

    assert limits
    for name, (is_late, seconds) in limits.items():
        assert is_late == (seconds < waits) or name in LEASED, name
    assert current_app.conf.task_reject_on_worker_lost


def list_jobs_with_ids() -> list[tuple[str, str]]:
    """Return each job of ours that is for one thing, and the name of the thing's id."""
    current_app.loader.import_default_modules()
    return sorted(
        (name, parameter)
        for name, task in current_app.tasks.items()
        if not name.startswith("celery.")
        for parameter in inspect.signature(task.run).parameters
        if parameter.endswith("_id")
    )


JOBS = list_jobs_with_ids()


@pytest.mark.parametrize("payload", [{}, None, "", " ", "x", "a\x00b"], ids=repr)
@pytest.mark.parametrize(("job", "parameter"), JOBS, ids=[job for job, _ in JOBS])
def test_a_job_that_names_nothing_is_refused(
    job: str, parameter: str, payload: Any
) -> None:
    """Acceptance row 7: nothing is done for whoever is not named."""
    told = {} if payload == {} else {parameter: payload}

    with pytest.raises(Exception, match=r"id|UUID"):
        current_app.tasks[job](**told)


def test_there_are_such_jobs() -> None:
    assert {"consent.run_erasure", "api.deliver_webhook"} <= {job for job, _ in JOBS}
