"""What the programs of a rehearsal logged as errors."""

from pathlib import Path

from memsys.chaos.programs import count_errors


def test_it_counts_errors_by_message_and_kind(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_text(
        '{"level": "error", "message": "session.failed", "exception": "KeyError"}\n'
        '{"level": "warning", "message": "model.failed"}\n'
        '{"level": "error", "message": "session.failed", "exc'  # cut off by a kill
        "\nnot of ours\n"
        '{"level": "critical", "message": "Unrecoverable\\nin two lines"}\n',
        encoding="utf-8",
    )
    log.with_suffix(".old.log").write_text(
        '{"level": "error", "message": "session.failed", "exception": "KeyError"}\n',
        encoding="utf-8",
    )

    counted = count_errors(log)

    assert counted == {"session.failed KeyError": 2, "Unrecoverable": 1}


def test_it_finds_no_errors_where_nothing_was_logged(tmp_path: Path) -> None:
    assert count_errors(tmp_path / "web.log") == {}
