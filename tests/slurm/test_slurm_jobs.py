#!/usr/bin/env python3
"""The scripts of scripts/slurm as jobs of a real Slurm, over the hosts of a testbed.

Started by slurm.sh within combench-testbed: test_slurm_jobs.py FOLDER. Each job is followed to its
end, and what counts is what it has left: manifests and documents, with the ranks and hosts in them.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any

import jsonschema

from cluster import Cluster, until

Json = dict[str, Any]

TOP = Path(__file__).resolve().parent.parent.parent
SCRIPTS = TOP / "scripts" / "slurm"
MANIFEST_SCHEMA = json.loads((TOP / "docs" / "combench-run-1.schema.json").read_text("utf-8"))
BUILD = Path(os.environ["builddir"])
FOLDER = Path(sys.argv.pop(1))
CORES = 2  # of a host; a testbed's hosts share those of the machine
QUICK = "sizes = 64\nmax-time = 0.05\n"
FARM = "benchmark = pushfarm\nfarms = 2x2\nalgorithms = 0\noptions = --in-flight 2\n"
PLANS = {
    "pair": QUICK + "[oneway]\n",
    "nodes": QUICK + "[alltoall]\nprocessors = max\n",
    "farms": QUICK + f"[packed]\n{FARM}placement = packed\n[spread]\n{FARM}placement = spread\n",
    "cut": QUICK + "[oneway]\n[twoway]\n[alltoall]\nprocessors = 2\n",
}
# The driver, which keeps what an earlier start of its job has left.
DRIVER = """#!/bin/sh
[ "${SLURM_RESTART_COUNT:-0}" -eq 0 ] || cp -r combench-*-"$SLURM_JOB_ID" "before-$SLURM_JOB_ID"
exec "%s" "$@"
"""
# At the first start of a job it takes more than a minute, writes a row each second, and sleeps.
SLOW_AT_FIRST = """#!/bin/sh
[ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] ||
    set -- "$@" --sweep --max-time 1 --precision 0.01 --wait block
exec "%s" "$@"
"""

SLOWLY = ("--programs", str(FOLDER / "slow"))

cluster: Cluster
limited_job: str
robbed_job: str
lost_host: str


def setUpModule() -> None:
    global cluster, limited_job, robbed_job, lost_host
    cluster = Cluster(FOLDER / "slurm", hosts=4, cores=CORES)
    cluster.environment["COMBENCH"] = str(FOLDER / "driver")
    cluster.environment["CB_BUILD"] = str(BUILD)
    write_files()
    unittest.addModuleCleanup(cluster.stop)
    cluster.start()
    # SIGTERM comes between 15 and 45 seconds after the start.
    limit = ("--time=1", "--signal=B:TERM@45", "--nodelist=host04")
    limited_job = submit("cut", "one-node.sbatch", *SLOWLY, options=limit)
    nodes = ("--nodes=2", "--exclude=host04")
    robbed_job = submit("cut", "many-nodes.sbatch", *SLOWLY, options=nodes)
    await_rows(f"combench-many-nodes-{robbed_job}")
    lost_host = lose_one_of(robbed_job)


def write_files() -> None:
    """Plans, the driver, and programs of which one is slow at first."""
    for name, text in PLANS.items():
        (FOLDER / f"{name}.plan").write_text(text, encoding="ascii")
    (FOLDER / "slow").mkdir()
    for program in BUILD.glob("cb_*"):
        if program.name != "cb_twoway":
            (FOLDER / "slow" / program.name).symlink_to(program)
    write_script(FOLDER / "slow" / "cb_twoway", SLOW_AT_FIRST % (BUILD / "cb_twoway"))
    write_script(FOLDER / "driver", DRIVER % (TOP / "scripts" / "combench"))


def write_script(path: Path, text: str) -> None:
    path.write_text(text, encoding="ascii")
    path.chmod(0o755)


def submit(plan: str, script: str, *words: str, options: tuple[str, ...] = ()) -> str:
    """The number of the job that one of the project's scripts makes of a plan."""
    cluster.environment["COMBENCH_PLAN"] = str(FOLDER / f"{plan}.plan")
    return cluster.submit(f"--chdir={FOLDER}", *options, str(SCRIPTS / script), *words)


def await_rows(directory: str) -> None:
    """Until the slow measurement of a run has written some."""
    path = FOLDER / directory / "results" / "twoway.mpi.none.json"

    def has_rows() -> bool:
        return path.exists() and bool(json.loads(path.read_text(encoding="utf-8"))["results"])

    until(f"rows in {path}", lambda: has_rows() or None)


def lose_one_of(job: str) -> str:
    """A host of a job, not that of its script, loses all its processes and later comes back."""
    state = cluster.state(job)
    hosts = cluster.ask("scontrol", "show", "hostnames", state["NodeList"]).split()
    lost = next(host for host in hosts if host != state["BatchHost"])
    cluster.lose_host(lost)
    # Slurm itself finds it out after SlurmdTimeout, two minutes.
    cluster.tell("scontrol", "update", f"NodeName={lost}", "State=DOWN", "Reason=lost")
    until(f"job {job} is requeued", lambda: cluster.state(job).get("Restarts") == "1" or None)
    cluster.tell("scontrol", "update", f"JobId={job}", f"ExcNodeList=host04,{lost}")
    cluster.start_host(lost)
    cluster.await_idle([lost])
    return lost


class Jobs(unittest.TestCase):
    maxDiff = None

    def manifest(self, directory: str) -> Json:
        text = (FOLDER / directory / "manifest.json").read_text(encoding="utf-8")
        found: Json = json.loads(text)
        jsonschema.validate(found, MANIFEST_SCHEMA)
        return found

    def document(self, directory: str, entry: Json) -> Json:
        text = (FOLDER / directory / entry["result"]).read_text(encoding="utf-8")
        found: Json = json.loads(text)
        return found

    def said(self, job: str) -> str:
        """What a job printed, for a test that fails."""
        texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob(f"*-{job}*.txt")]
        return "".join(texts) + cluster.ask("scontrol", "show", "job", job)

    def measured(self, job: str, directory: str, names: list[str]) -> list[Json]:
        """The whole documents of a complete run, which has measured just this."""
        manifest = self.manifest(directory)
        self.assertTrue(manifest["complete"], self.said(job))
        states = [(entry["name"], entry["state"]) for entry in manifest["measurements"]]
        self.assertEqual(states, [(name, "measured") for name in names], self.said(job))
        documents = [self.document(directory, entry) for entry in manifest["measurements"]]
        for document in documents:
            self.assertTrue(document["complete"])
        return documents

    def assert_places(self, document: Json, hosts: int, ranks: int) -> None:
        """N ranks, evenly on the hosts: those that Slurm has allocated."""
        environment = document["environment"]
        self.assertEqual(len(environment["ranks"]), ranks)
        names = [host["name"] for host in environment["hosts"]]
        self.assertEqual(len(names), hosts)
        self.assertLessEqual(set(names), set(cluster.hosts))
        for host in range(hosts):
            mine = [rank for rank in environment["ranks"] if rank["host"] == host]
            self.assertEqual(len(mine), ranks // hosts)


class Scripts(Jobs):
    """Each script to its end."""

    def test_one_node_by_srun(self) -> None:
        job = submit("pair", "one-node.sbatch", "--launcher", "srun")
        cluster.await_end(job)
        (document,) = self.measured(job, f"combench-one-node-{job}", ["oneway.mpi.none"])
        self.assert_places(document, hosts=1, ranks=2)

    def check_many_nodes(self, launcher: str) -> None:
        options = ("--nodes=3",)
        job = submit("nodes", "many-nodes.sbatch", "--launcher", launcher, options=options)
        cluster.await_end(job)
        (document,) = self.measured(job, f"combench-many-nodes-{job}", ["alltoall.mpi.6.none"])
        self.assert_places(document, hosts=3, ranks=6)
        self.assertEqual(document["results"][-1]["placement"], {"node": [2, 2, 2]})

    def test_many_nodes_by_mpirun(self) -> None:
        self.check_many_nodes("mpirun")

    def test_many_nodes_by_srun(self) -> None:
        self.check_many_nodes("srun")

    def test_an_array_over_numbers_of_nodes_by_mpirun(self) -> None:
        options = ("--nodes=3", "--array=2-3")
        job = submit("nodes", "scaling.sbatch", "--launcher", "mpirun", options=options)
        cluster.await_end(job)
        for nodes in (2, 3):
            directory = f"combench-scaling-{job}/nodes-{nodes}"
            ranks = CORES * nodes
            (document,) = self.measured(job, directory, [f"alltoall.mpi.{ranks}.none"])
            self.assert_places(document, hosts=nodes, ranks=ranks)

    def check_farms(self, launcher: str) -> None:
        options = ("--nodes=3",)
        job = submit("farms", "farms.sbatch", "--launcher", launcher, options=options)
        cluster.await_end(job)
        directory = f"combench-farms-{job}"
        packed, spread = self.measured(job, directory, ["packed.mpi.2x2", "spread.mpi.2x2"])
        self.assertEqual(
            packed["results"][0]["placement"],
            # Five ranks fill two hosts and one place of the third.
            {"supervisor": [1, 0, 0], "source": [0, 2, 0], "destination": [1, 0, 1]},
        )
        self.assertEqual(packed["parameters"]["placement"], "packed")
        for ranks in spread["results"][0]["placement"].values():
            self.assertLessEqual(max(ranks), 1)
        entries = self.manifest(directory)["measurements"]
        self.assertEqual([entry["placement"] for entry in entries], ["packed", "spread"])

    def test_farms_by_mpirun(self) -> None:
        self.check_farms("mpirun")

    def test_farms_by_srun(self) -> None:
        self.check_farms("srun")


class Sequels(Jobs):
    """A cancelled job stays away; one that lost its time or a node goes on where it stopped.

    The two that go on were cut in the set-up of this module, and come last in the order of names:
    Slurm looks for time limits twice a minute, and has a requeued job wait.
    """

    def sessions(self, job: str, directory: str) -> tuple[Json, list[Json]]:
        """The manifest as the first session left it, and the entries of the whole run."""
        cluster.await_end(job)
        self.measured(job, directory, ["oneway.mpi.none", "twoway.mpi.none", "alltoall.mpi.2.none"])
        whole = self.manifest(directory)
        self.assertEqual(len(whole["sessions"]), 2)
        return self.manifest(f"before-{job}"), whole["measurements"]

    def test_at_its_time_limit_a_job_keeps_what_it_has_and_goes_on_later(self) -> None:
        before, entries = self.sessions(limited_job, f"combench-one-node-{limited_job}")
        self.assertEqual(before["reason"], "SIGTERM")
        states = [entry["state"] for entry in before["measurements"]]
        self.assertEqual(states, ["measured", "interrupted", "planned"])
        cut = before["measurements"][1]
        document = self.document(f"before-{limited_job}", cut)
        self.assertFalse(document["complete"])
        self.assertEqual(cut["rows"], len(document["results"]))
        self.assertEqual([entry["attempts"] for entry in entries], [1, 2, 1])

    def test_after_the_loss_of_a_node_a_job_goes_on_with_others(self) -> None:
        directory = f"combench-many-nodes-{robbed_job}"
        before, entries = self.sessions(robbed_job, directory)
        measured, cut = before["measurements"][:2]
        self.assertEqual(measured["state"], "measured")
        self.assertNotEqual(cut["state"], "measured")
        self.assertEqual([entry["attempts"] for entry in entries[:2]], [1, 2])
        hosts = self.document(directory, entries[1])["environment"]["hosts"]
        self.assertNotIn(lost_host, [host["name"] for host in hosts])

    def test_a_cancelled_job_does_not_come_back(self) -> None:
        options = ("--nodelist=host03",)
        job = submit("cut", "one-node.sbatch", *SLOWLY, options=options)
        await_rows(f"combench-one-node-{job}")
        cluster.tell("scancel", "--full", job)
        cluster.await_end(job)
        self.assertEqual(cluster.state(job)["JobState"], "CANCELLED")


if __name__ == "__main__":
    unittest.main(verbosity=2)
