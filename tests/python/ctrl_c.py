"""Ctrl-C in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time


def press_ctrl_c(script: str, after: float) -> tuple[float, list[str]]:
    """Run a script that says "ready" and works until Ctrl-C, which is pressed some seconds later.

    Gives when that was, and the lines that the script says then; it must end well by itself.
    """
    command = [sys.executable, "-c", script]
    # Not in our session, where a signal for one process of it may be one for all.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(after)
            assert process.poll() is None
            sent = time.time()
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0
    return sent, said.splitlines()
