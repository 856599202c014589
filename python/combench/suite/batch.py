"""A run in a batch job that may be requeued: after its time limit, or after a lost node.

Slurm starts a requeued job from its beginning; the run then continues from its directory.
"""

from __future__ import annotations

import re
import subprocess
from typing import Mapping, Sequence

from combench.common.documents import INTERRUPTED, PLANNED, RUNNING, Json
from combench.common.errors import WARNINGS

# A failure may be due to a lost node, so it is repeated once.
ATTEMPTS = 2
_WARNINGS = tuple(one.name for one in WARNINGS)
_COMMAND_LIMIT_S = 60


def _ask(words: Sequence[str]) -> tuple[bool, str]:
    """Run a command of Slurm: whether it succeeded, and its output."""
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
    """False for a cancelled job, which must not be requeued."""
    known, said = _ask(("scontrol", "--oneliner", "show", "job", job))
    found = re.search(r"\bJobState=(\S+)", said)
    return known and found is not None and found.group(1) == "RUNNING"


def requeue(todo: Sequence[Json], stopped: str, environment: Mapping[str, str]) -> str:
    """Requeue the job when a warning before its time limit stopped the run.

    `todo` are the entries of this session. If none of them has finished, the job is not requeued,
    because the next start would stop at the same place. Returns a message; empty if nothing was
    done.
    """
    job = environment.get("SLURM_JOB_ID")
    if stopped not in _WARNINGS or job is None or not _is_running(job):
        return ""
    if all(entry["state"] in (PLANNED, RUNNING, INTERRUPTED) for entry in todo):
        return (
            f"job {job} is not requeued: no measurement finished within its time limit; submit it "
            "with a longer --time"
        )
    done, said = _ask(("scontrol", "requeue", job))
    if not done:
        return (
            f"cannot requeue job {job}: {said or 'scontrol failed'}; submit it with --requeue, or "
            "submit it again"
        )
    return f"job {job} is requeued and continues when it starts again"
