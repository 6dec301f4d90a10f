"""The two sides of a comparison as commands, and what a run of one says of itself."""
import dataclasses
import json
import os
import subprocess
import time
from typing import Callable, Optional

PEER_LIMIT_S = 900


class NotAvailable(Exception):
    """Why a side, or a whole row, cannot run here."""


@dataclasses.dataclass
class Side:
    name: str
    run: Callable[[], dict]  # {"seconds", "cpu_seconds", the row's unit of work}
    check: Optional[Callable[[], dict]] = None  # {"means": of each clip's channels, "frames"}; not timed
    role: str = "peer"  # or kinema, or reference: not a rival but a limit


def printed_json(command):
    """The last line that a program prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=PEER_LIMIT_S)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        last = (done.stderr.strip().splitlines() or ["nothing printed"])[-1]
        raise NotAvailable(f"exit status {done.returncode}: {last}")
    return json.loads(lines[-1])


def reporting(name, command, role="peer"):
    """A program that measures itself; with --check it tells its clips' means, but a reference has none."""
    check = None if role == "reference" else lambda: printed_json([*command, "--check"])
    return Side(name, lambda: printed_json(command), check, role)


def timed(command):
    """(wall, CPU) seconds of a process."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    message = process.stderr.read().decode(errors="replace").strip().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise NotAvailable(f"exit status {process.returncode}: {(message or ['nothing printed'])[-1]}")
    return wall, usage.ru_utime + usage.ru_stime


def stopwatch(name, command, start, work, role="peer", check=None):
    """A program that does not measure itself: without the time of `start`, which does the same for no work."""
    def run():
        idle, busy = timed(start), timed(command)
        return {"seconds": busy[0] - idle[0], "cpu_seconds": busy[1] - idle[1], **work}
    return Side(name, run, check, role)
