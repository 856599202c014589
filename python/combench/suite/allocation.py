"""The allocation of a run: cores, hosts, and the batch system."""

from __future__ import annotations

import atexit
import codecs
import os
import re
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping

from combench.common.errors import SuiteError


@dataclass(frozen=True)
class Allocation:
    kind: str  # slurm, pbs, lsf, hostfile, or local
    slots: int  # ranks that have a core each
    hosts: int
    job: str = ""  # job id of the batch system


def _expand(counts: str) -> list[int]:
    """One number per host, from Slurm's short form: 16(x2),8 is 16, 16, 8."""
    expanded: list[int] = []
    for part in counts.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if found is None:
            raise SuiteError(
                f"cannot read the size of the allocation from SLURM_JOB_CPUS_PER_NODE='{counts}'; unset it, or "
                "set it as the batch system does"
            )
        expanded += [int(found.group(1))] * int(found.group(2) or 1)
    return expanded


def _count(found: str, name: str) -> int:
    """A number in a variable of a batch system."""
    if not re.fullmatch(r"[1-9][0-9]{0,6}", found):
        raise SuiteError(
            f"cannot read the size of the allocation from {name}='{found}': it is no number of 1 or more; "
            f"unset {name}, or set it as the batch system does"
        )
    return int(found)


def _slurm(environment: Mapping[str, str]) -> Allocation:
    """The number of tasks of the job; without one, all its processors."""
    job = environment["SLURM_JOB_ID"]
    hosts = _count(environment.get("SLURM_JOB_NUM_NODES", "1"), "SLURM_JOB_NUM_NODES")
    if "SLURM_NTASKS" in environment:
        return Allocation("slurm", _count(environment["SLURM_NTASKS"], "SLURM_NTASKS"), hosts, job)
    per_host = _expand(environment.get("SLURM_JOB_CPUS_PER_NODE", "1"))
    return Allocation("slurm", sum(per_host), max(hosts, len(per_host)), job)


def _pbs(environment: Mapping[str, str]) -> Allocation:
    """Each line of PBS_NODEFILE is a slot."""
    path = environment["PBS_NODEFILE"]
    try:
        lines = Path(path).read_text(encoding="utf-8").split()
    except OSError as error:
        raise SuiteError(f"cannot read PBS_NODEFILE {path}: {error.strerror}; unset it") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"cannot read PBS_NODEFILE {path}: {error}; unset it") from error
    if not lines:
        raise SuiteError(f"cannot read PBS_NODEFILE {path}: it has no host; unset it")
    return Allocation("pbs", len(lines), len(set(lines)), environment.get("PBS_JOBID", ""))


def _lsf(environment: Mapping[str, str]) -> Allocation:
    """Pairs of host and slots."""
    words = environment["LSB_MCPU_HOSTS"].split()
    slots = sum(_count(word, "LSB_MCPU_HOSTS") for word in words[1::2])
    if not slots:
        raise SuiteError("cannot read LSB_MCPU_HOSTS: it has no host; unset it")
    return Allocation("lsf", slots, len(words) // 2, environment.get("LSB_JOBID", ""))


# The environment variable that identifies a batch system.
_BATCH_SYSTEMS: tuple[tuple[str, Callable[[Mapping[str, str]], Allocation]], ...] = (
    ("SLURM_JOB_ID", _slurm),
    ("PBS_NODEFILE", _pbs),
    ("LSB_MCPU_HOSTS", _lsf),
)


def _own_cores() -> int:
    """The cores that this process may use; hardware threads of a core count as one."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            cores.add(siblings.read_text(encoding="ascii"))
        except OSError:
            cores.add(str(cpu))
    return len(cores)


def of_hostfile(path: Path) -> Allocation:
    """The hosts of a file for mpirun: `name slots=4` of Open MPI, `name:4` of MPICH.

    A host without a number counts as one slot here; the launcher may treat it differently.
    """
    slots: dict[str, int] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"cannot read --hostfile {path}: {error}; name another file") from error
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        found = re.search(r"(?:^[^:]+:|\sslots=)([^\s:]*)", " ".join(words))
        if found is not None and not re.fullmatch(r"[1-9][0-9]{0,6}", found.group(1)):
            raise SuiteError(
                f"{path}:{number}: '{found.group(1)}' is not a number of slots; write HOST slots=4, "
                "or HOST:4 for MPICH"
            )
        host = words[0].partition(":")[0]
        slots[host] = slots.get(host, 0) + (int(found.group(1)) if found else 1)
    if not slots:
        raise SuiteError(f"--hostfile {path} has no host; write a line HOST slots=4 for each")
    return Allocation("hostfile", sum(slots.values()), len(slots))


def for_launcher(path: Path) -> str:
    """The hostfile for mpirun, which takes a byte order mark for a host: then a copy without it."""
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(codecs.BOM_UTF8):
        return str(path.absolute())
    descriptor, name = tempfile.mkstemp(prefix="combench-hosts-")
    atexit.register(os.unlink, name)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content.removeprefix(codecs.BOM_UTF8))
    return name


def find(environment: Mapping[str, str]) -> Allocation:
    """The allocation of a batch system, from the environment; else the cores of this machine."""
    for variable, ask in _BATCH_SYSTEMS:
        if variable in environment:
            return ask(environment)
    return Allocation("local", _own_cores(), 1)


def describe(allocation: Allocation) -> str:
    """The allocation in words."""
    hosts = socket.gethostname() if allocation.hosts == 1 else f"{allocation.hosts} hosts"
    cores = "core" if allocation.slots == 1 else "cores"
    return f"{allocation.slots} {cores} on {hosts} ({allocation.kind})"
