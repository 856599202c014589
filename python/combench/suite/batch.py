"""A run inside a batch job that may be started again: after its time limit, or after a lost node.

Slurm starts a requeued job from its beginning; the run then goes on with what its directory holds.
"""

from __future__ import annotations

import re
import subprocess
from typing import Mapping, Sequence

from combench.common.documents import INTERRUPTED, PLANNED, RUNNING, Json

# What failed may have done so because a node was lost, and has a second chance.
ATTEMPTS = 2
_COMMAND_LIMIT_S = 60


def _ask(words: Sequence[str]) -> tuple[bool, str]:
    """Whether a command of Slurm succeeded, and what it said."""
    try:
        ended = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_COMMAND_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return ended.returncode == 0, ended.stdout.strip()


def _is_running(job: str) -> bool:
    """False of a job that was cancelled: that one shall not come back."""
    known, said = _ask(("scontrol", "--oneliner", "show", "job", job))
    found = re.search(r"\bJobState=(\S+)", said)
    return known and found is not None and found.group(1) == "RUNNING"


def requeue(todo: Sequence[Json], stopped: str, environment: Mapping[str, str]) -> str:
    """Put the job back into the queue when SIGTERM, the warning of its time limit, stopped the run.

    `todo` are the entries that this session was to measure; without one that has come to its end a
    further start would come no further. What was done, in words; nothing when there was no reason.
    """
    job = environment.get("SLURM_JOB_ID")
    if stopped != "SIGTERM" or job is None or not _is_running(job):
        return ""
    if all(entry["state"] in (PLANNED, RUNNING, INTERRUPTED) for entry in todo):
        return (
            f"job {job} is not put back into the queue: no measurement came to its end in its "
            "time; submit it with a longer --time"
        )
    done, said = _ask(("scontrol", "requeue", job))
    if not done:
        return (
            f"cannot put job {job} back into the queue: {said or 'scontrol failed'}; submit it "
            "with --requeue, or go on by hand"
        )
    return f"job {job} is back in the queue and goes on when it starts again"
