"""Owns how packages get into an environment, and what to say when they do not.

Standard library only. Which environment and which packages is decided in
`bootstrap`.

    install(folder=Path(".venv"), requirements=["django"], constraints=Path("c.txt"))
"""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_REPORT_SECONDS = 20
_CAUSES = (
    (r"No space left on device", "the disk is full"),
    (
        r"NewConnectionError|name resolution|Network is unreachable|timed out"
        r"|ConnectionError|Connection refused|ProxyError|SSLError",
        "the package index cannot be reached; check the network or your pip settings",
    ),
    (
        r"No matching distribution|Could not find a version|ResolutionImpossible",
        "a package is not available for this Python and system, "
        "or the package index cannot be reached",
    ),
)


class SetupError(Exception):
    """The environment cannot be used or made; the text tells the person why."""


def create_venv(folder: Path) -> None:
    """Create an environment with pip, in place of what is in this folder.

    Raises:
        SetupError: this Python lacks the modules for it.
    """
    if importlib.util.find_spec("venv") is None:
        raise SetupError(
            "this Python has no venv module; install the python3-venv package "
            "of your system, or use a Python that has it."
        )
    import venv

    with_pip = importlib.util.find_spec("ensurepip") is not None
    if not with_pip and importlib.util.find_spec("pip") is None:
        raise SetupError(
            "this Python has neither ensurepip nor pip; install the python3-venv "
            "package of your system, or use a Python that has them."
        )
    say("making .venv")
    builder = venv.EnvBuilder(
        clear=True, symlinks=True, with_pip=with_pip, prompt="memsys"
    )
    try:
        builder.create(folder)
    except subprocess.CalledProcessError as error:
        raise SetupError(f"cannot put pip into .venv: {error}") from error


def install(*, folder: Path, requirements: Sequence[str], constraints: Path) -> None:
    """Install the requirements into the environment in this folder.

    Raises:
        SetupError: pip failed; the text names the likely cause.
    """
    listing = folder / "requirements.txt"
    listing.write_text("\n".join(requirements) + "\n", encoding="utf-8")
    say(f"installing {len(requirements)} requirements and what they need into .venv")
    log_path = folder / "install.log"
    command = [
        *_pip(folder), "install", "--no-input", "--progress-bar", "off",
        "--constraint", str(constraints),
        "--requirement", str(listing),
    ]  # fmt: skip
    with log_path.open("wb") as log:
        code = _run_reporting(command, log_fileno=log.fileno())
    if code:
        raise SetupError(_explain(log_path.read_text("utf-8", "replace")))
    say("the environment is ready")


def has_pip(folder: Path) -> bool:
    """Tell whether the environment in this folder has a pip that runs."""
    try:
        probe = subprocess.run([*_own_pip(folder), "--version"], capture_output=True)
    except OSError:
        return False
    return probe.returncode == 0


def _pip(folder: Path) -> list[str]:
    if has_pip(folder):
        return _own_pip(folder)
    python = str(folder / "bin" / "python")
    return [sys.executable, "-I", "-m", "pip", "--python", python]


def _own_pip(folder: Path) -> list[str]:
    return [str(folder / "bin" / "python"), "-I", "-m", "pip"]


def _run_reporting(command: Sequence[str], *, log_fileno: int) -> int:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log_fileno,
        stderr=subprocess.STDOUT,
        env=_pip_environment(),
    )
    seconds = 0
    try:
        while True:
            try:
                return process.wait(timeout=_REPORT_SECONDS)
            except subprocess.TimeoutExpired:
                seconds += _REPORT_SECONDS
                say(f"still installing, {seconds} s so far")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _pip_environment() -> dict[str, str]:
    # A person's pip settings (index, proxy, certificates) count; those that
    # would send the packages elsewhere than into .venv do not.
    misleading = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"}
    environment = {k: v for k, v in os.environ.items() if k not in misleading}
    environment |= {"PIP_REQUIRE_VIRTUALENV": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if not Path(environment.get("HOME") or os.devnull).is_dir():
        # With an empty HOME the cache would land in the root folder.
        environment |= {"PIP_NO_CACHE_DIR": "1"}
    return environment


def _explain(log: str) -> str:
    cause = next(
        (cause for pattern, cause in _CAUSES if re.search(pattern, log)),
        "pip failed",
    )
    last_lines = "\n  ".join(log.strip().splitlines()[-8:])
    return f"cannot install the requirements: {cause}.\n  {last_lines}"


def say(text: str) -> None:
    """Tell the person what goes on, apart from what a command prints."""
    sys.stderr.write(f"memsys: {text}\n")
    sys.stderr.flush()
