"""JSON logs: a fixed message and keyword fields; ids, counts, durations, no text.

>>> logger.info("session.processed", extra={"session": str(session_id)})
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any

# They log addresses, headers and bodies of what they send.
CLIENTS = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonFormatter(logging.Formatter):
    """One JSON object a line; fields given by `extra` stand beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields |= {k: v for k, v in vars(record).items() if k not in _STANDARD}
        if record.exc_info and record.exc_info[0] is not None:
            # The text of an exception may quote a row; its type does not.
            fields["exception"] = record.exc_info[0].__qualname__
            fields["frames"] = _frames(record.exc_info[2])
        return json.dumps(fields, ensure_ascii=False, default=str)


def _frames(traceback: Any) -> list[str]:
    """Return where an exception passed, innermost last, without values."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{code.co_filename}:{traceback.tb_lineno} {code.co_name}")
        traceback = traceback.tb_next
    return frames[-12:]


def logging_config(level: str) -> dict[str, Any]:
    """Return the dictConfig of every process."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "memsys.log_config.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.server": {"level": "WARNING"},
            # It would log the path of each refused request, which callers write.
            "django.request": {"level": "ERROR"},
            # It logs names and addresses of people who sign in.
            "axes": {"level": "CRITICAL"},
            **{name: {"level": "WARNING"} for name in CLIENTS},
        },
    }
