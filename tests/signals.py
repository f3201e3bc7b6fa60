"""What a child process hears, whatever the process that runs the tests was told.

>>> subprocess.Popen(["sleep", "9"], preexec_fn=hear_signals)  # doctest: +SKIP
"""

import signal


def hear_signals() -> None:
    """Let signals that stop a program stop it again.

    What runs in the background of a script inherits that Ctrl-C is ignored, and what
    `nohup` starts that the end of the terminal is.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
