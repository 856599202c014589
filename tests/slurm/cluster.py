"""A cluster of Slurm on the hosts of a testbed: its own munged, slurmctld, and one slurmd a host.

Key, sockets, configuration, state and logs lie in one folder. It is started within a testbed, whose
end, by whatever signal, ends every process of it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable, Optional, Sequence, TypeVar

LIMIT_S = 120
_POLL_S = 0.1
# What the testbed tells an mpirun that has no batch system.
_TESTBED_LAUNCH = ("OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_agent")

# A requeued job waits until the credential of its first start has expired, two minutes by default.
# A busy machine may stop for seconds; a host that does not answer must not be given up for that.
_CONFIGURATION = """
ClusterName=combench
SlurmctldHost=host01(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=8
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/%n
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
TmpFS={folder}/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
SlurmdTimeout=120
KillWait=3
KillOnBadExit=1
JobRequeue=1
MailProg=/bin/true
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

T = TypeVar("T")


def until(what: str, ask: Callable[[], Optional[T]], limit_s: float = LIMIT_S) -> T:
    """Poll until the answer is not None; raises an AssertionError that names what is missing."""
    deadline = time.monotonic() + limit_s
    while True:
        found = ask()
        if found is not None:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {limit_s:g} s")
        time.sleep(_POLL_S)


class Cluster:
    """Hosts host01, host02, ... with N cores each, as in Slurm's configuration."""

    def __init__(self, folder: Path, hosts: int, cores: int) -> None:
        self.folder = folder
        self.hosts = [f"host{number:02}" for number in range(1, hosts + 1)]
        self._cores = cores
        self._testbed = Path(os.environ["CB_TESTBED"]).parent
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            key: value for key, value in os.environ.items() if key not in _TESTBED_LAUNCH
        }
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self) -> None:
        """Start the daemons and wait until the hosts are idle."""
        for name in ("munge", "log", "state", "spool", "tmp"):
            (self.folder / name).mkdir(parents=True)
        self._start_munge()
        self._configure()
        self._start("slurmctld", "slurmctld", "-D", "-c", "-f", self.environment["SLURM_CONF"])
        for host in self.hosts:
            self.start_host(host)
        self.await_idle(self.hosts)

    def await_idle(self, hosts: Sequence[str]) -> None:
        """Wait until hosts accept jobs."""
        until(f"{', '.join(hosts)} idle", lambda: self._are_idle(hosts) or None)

    def _start(self, name: str, *words: str) -> None:
        with (self.folder / "log" / f"{name}.out").open("ab") as stream:
            self._daemons[name] = subprocess.Popen(
                words, env=self.environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream
            )

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        folder.chmod(0o711)
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o400)
        files = [f"--{kind}-file={folder / kind}" for kind in ("key", "pid", "log", "seed")]
        socket = folder / "socket"
        self._start("munged", "munged", "--foreground", "--force", f"--socket={socket}", *files)
        ask = ("munge", "--no-input", f"--socket={socket}")
        until("munged answers", lambda: self._succeeds(ask) or None)

    def _succeeds(self, words: Sequence[str]) -> bool:
        return subprocess.run(words, env=self.environment, capture_output=True).returncode == 0

    def _configure(self) -> None:
        lines = [_CONFIGURATION.format(folder=self.folder)]
        for number, host in enumerate(self.hosts, 1):
            lines.append(
                f"NodeName={host} NodeAddr=10.77.0.{number} CPUs={self._cores} Sockets=1 "
                f"CoresPerSocket={self._cores} ThreadsPerCore=1 RealMemory=1000\n"
            )
        (self.folder / "slurm.conf").write_text("".join(lines), encoding="ascii")
        # The default way to gather addresses fails now and then where a step has several hosts.
        (self.folder / "mpi.conf").write_text("PMIxCollFence=tree\n", encoding="ascii")

    def start_host(self, host: str) -> None:
        for name in ("spool", "tmp"):
            (self.folder / name / host).mkdir(exist_ok=True)
        agent = str(self._testbed / "agent")
        self._start(
            host, agent, host, "slurmd", "-D", "-N", host, "-f", self.environment["SLURM_CONF"]
        )

    def lose_host(self, host: str) -> None:
        """Kill all processes of a host at once, as a power failure does."""
        lost = self._daemons.pop(host)
        network = os.readlink(f"/proc/{lost.pid}/ns/net")
        for entry in os.listdir("/proc"):
            if entry.isdigit() and self._network_of(entry) == network:
                os.kill(int(entry), signal.SIGKILL)
        lost.wait(LIMIT_S)

    @staticmethod
    def _network_of(process: str) -> str:
        try:
            return os.readlink(f"/proc/{process}/ns/net")
        except OSError:
            return ""  # it has ended

    def _are_idle(self, hosts: Sequence[str]) -> bool:
        states = self.ask("sinfo", "--noheader", "--format=%n %T", "--Node").split("\n")
        return set(states) >= {f"{host} idle" for host in hosts}

    def await_end(self, job: str) -> None:
        """Wait until a job, or an array of jobs, is no longer in the queue."""
        until(f"job {job} ends", lambda: None if job in self._queued(unknown=job) else True)

    def _queued(self, unknown: str) -> list[str]:
        """The numbers of the jobs in the queue. If squeue fails, as it does now and then on a busy
        machine, the one that was asked about may be in it."""
        ended = self._run("squeue", "--noheader", "--format=%F")
        return ended.stdout.split() if ended.returncode == 0 else [unknown]

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=LIMIT_S,
        )  # fmt: skip

    def ask(self, *words: str) -> str:
        """The output of a command of Slurm; empty if it fails."""
        ended = self._run(*words)
        return ended.stdout.strip() if ended.returncode == 0 else ""

    def tell(self, *words: str) -> None:
        """Run a command of Slurm until it succeeds."""
        until(" ".join(words), lambda: True if self._run(*words).returncode == 0 else None)

    def submit(self, *words: str) -> str:
        """The number of the job that sbatch makes of these words."""
        ended = self._run("sbatch", "--parsable", *words)
        if ended.returncode != 0:
            raise AssertionError(f"sbatch {' '.join(words)}: {ended.stderr}")
        return ended.stdout.strip()

    def state(self, job: str) -> dict[str, str]:
        """The state of a job in Slurm."""
        words = ("scontrol", "--oneliner", "show", "job", job)
        said = until(f"the state of job {job}", lambda: self.ask(*words) or None)
        return dict(re.findall(r"(\S+?)=(\S*)", said))

    def stop(self) -> None:
        """End all jobs, then the daemons."""
        self.ask("scancel", "--user=root")
        until("all jobs have ended", lambda: None if self._queued(unknown="any") else True)
        for daemon in self._daemons.values():
            daemon.send_signal(signal.SIGTERM)
        for daemon in self._daemons.values():
            daemon.wait(LIMIT_S)
