"""The command lines of mpirun and srun for a number of ranks in an allocation."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Optional

from combench.common.errors import SuiteError
from combench.suite.allocation import Allocation

_FORWARDED = ("OMPI_", "PMIX_", "PRTE_")  # variables that Open MPI passes on
OPENMPI, HYDRA, SRUN = "openmpi", "mpich", "srun"
QUIET = "-q"  # of Open MPI

# On several hosts: block and cyclic place ranks; spread and packed let the programs place roles.
PLACEMENTS = ("block", "cyclic", "spread", "packed")
_OVER_ALL_HOSTS = ("cyclic", "spread")


@dataclass(frozen=True)
class Job:
    """The parameters of a command line."""

    ranks: int
    oversubscribed: bool
    hosts: int
    placement: str
    slots: int  # of all hosts
    bound: bool = True  # a core for each rank; False: a rank has several busy threads

    @property
    def over_all_hosts(self) -> bool:
        return self.placement in _OVER_ALL_HOSTS

    @property
    def filled_hosts(self) -> int:
        """The number of hosts that the ranks fill, one host after the other."""
        per_host = max(self.slots // self.hosts, 1)
        return min(-(-self.ranks // per_host), self.hosts)


def _openmpi(job: Job) -> list[str]:
    """QUIET suppresses messages about exit statuses. Ranks are bound where each has a core and one
    thread."""
    words = [QUIET, "-np", str(job.ranks)]
    words += ["--oversubscribe"] if job.oversubscribed else []
    if not job.bound:
        words += ["--bind-to", "none"]  # the default binds, too
    elif not job.oversubscribed:
        words += ["--bind-to", "core"]
    if job.hosts > 1:
        words += ["--map-by", "node" if job.over_all_hosts else "slot"]
    return words


def _hydra(job: Job) -> list[str]:
    words = ["-n", str(job.ranks)]
    if not job.bound:
        words += ["-bind-to", "none"]
    elif not job.oversubscribed:
        words += ["-bind-to", "core"]
    if job.hosts > 1 and job.over_all_hosts:
        words += ["-ppn", "1"]
    return words


def _srun(job: Job) -> list[str]:
    words = ["--mpi=pmix", "--kill-on-bad-exit=1", f"--ntasks={job.ranks}"]
    words += ["--overcommit"] if job.oversubscribed else []
    if not job.bound:
        words += ["--cpu-bind=none"]
    elif not job.oversubscribed:
        words += ["--cpu-bind=cores"]
    if job.hosts > 1:
        # Without --nodes, srun uses all hosts of the job.
        nodes = min(job.hosts, job.ranks) if job.over_all_hosts else job.filled_hosts
        words += [f"--nodes={nodes}"]
        words += ["--distribution=" + ("cyclic" if job.over_all_hosts else "block")]
    return words


_WORDS: dict[str, Callable[[Job], list[str]]] = {OPENMPI: _openmpi, HYDRA: _hydra, SRUN: _srun}


@dataclass(frozen=True)
class Launcher:
    kind: str
    command: tuple[str, ...]
    more: tuple[str, ...] = ()  # options of the user

    def words(self, job: Job) -> list[str]:
        """The command line up to the program."""
        return [*self.command, *_WORDS[self.kind](job), *self.more]

    def passing(self, names: Iterable[str]) -> list[str]:
        """Words that pass variables of the environment on to ranks on other hosts. Hydra and srun pass
        all, Open MPI its own."""
        if self.kind != OPENMPI:
            return []
        others = (name for name in names if not name.startswith(_FORWARDED))
        return [word for name in others for word in ("-x", name)]

    def environment(self, job: Job, own: Mapping[str, str]) -> dict[str, str]:
        """The environment of the ranks."""
        environment = dict(own)
        if self.kind != HYDRA and os.geteuid() == 0:
            # Open MPI requires both variables to run as root, for instance in a container.
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        if self.kind == SRUN and job.oversubscribed:
            # srun does not pass on that ranks share cores; polling ranks would start slowly.
            environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
        return environment


_TRIAL_LIMIT_S = 60
_TRIAL = "true"  # a program that does nothing
_COMPLAINT_LENGTH = 400


def try_words(launcher: Launcher, environment: Mapping[str, str]) -> None:
    """Check the user's options by starting a program that does nothing, without QUIET.

    Raises SuiteError with the launcher's message. Without this check every measurement would fail,
    and mpirun -q would not print why.
    """
    job = Job(1, False, 1, PLACEMENTS[0], 1)
    words = [word for word in launcher.words(job) if word != QUIET]
    given = " ".join(launcher.more)
    attempt = f"cannot start ranks with --launch '{given}'"
    try:
        ended = subprocess.run(
            [*words, _TRIAL],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=launcher.environment(job, environment),
            text=True,
            errors="replace",
            timeout=_TRIAL_LIMIT_S,
        )
    except OSError as error:
        raise SuiteError(f"{attempt}: {error.strerror}; change --launch") from error
    except subprocess.TimeoutExpired:
        return  # a launcher that waits for resources has accepted the options
    if ended.returncode != 0:
        said = " ".join(ended.stdout.replace("-" * 20, "").split())[:_COMPLAINT_LENGTH]
        raise SuiteError(
            f"{attempt}: {_TRIAL} exited with status {ended.returncode}: {said or 'no output'}; "
            "change --launch, whose words precede the program"
        )


def _kind_of(command: tuple[str, ...]) -> str:
    attempt = f"cannot start ranks with '{' '.join(command)}'"
    remedy = "install Open MPI or MPICH, load its module, or set --mpirun"
    try:
        said = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=30,
        ).stdout
    except OSError as error:
        raise SuiteError(f"{attempt}: {error.strerror}; {remedy}") from error
    except subprocess.TimeoutExpired as error:
        raise SuiteError(f"{attempt}: --version does not answer within 30 s; {remedy}") from error
    if "Open MPI" in said or "OpenRTE" in said:
        return OPENMPI
    if "HYDRA" in said or "MPICH" in said or "Intel(R) MPI" in said:
        return HYDRA
    raise SuiteError(f"{attempt}: --version names neither Open MPI nor MPICH; {remedy}")


_HOSTFILE_OPTIONS = {OPENMPI: "--hostfile", HYDRA: "-f"}


def find(
    wanted: str,
    mpirun: tuple[str, ...],
    more: tuple[str, ...],
    allocation: Allocation,
    hostfile: Optional[str] = None,
) -> Launcher:
    """The requested launcher: mpirun, srun, or auto.

    auto is mpirun, or srun in a Slurm allocation without mpirun.
    """
    if hostfile is not None and wanted == "srun":
        raise SuiteError(
            "--hostfile needs mpirun, but --launcher srun uses the hosts of its job; remove one of "
            "both options"
        )
    slurm_only = allocation.kind == "slurm" and shutil.which(mpirun[0]) is None
    if wanted == "srun" or (wanted == "auto" and slurm_only):
        if shutil.which("srun") is None:
            raise SuiteError("cannot start ranks: srun is not in PATH; use --launcher mpirun")
        return Launcher(SRUN, ("srun",), more)
    kind = _kind_of(mpirun)
    hosts = (_HOSTFILE_OPTIONS[kind], hostfile) if hostfile is not None else ()
    return Launcher(kind, mpirun, (*hosts, *more))
