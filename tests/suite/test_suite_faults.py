#!/usr/bin/env python3
"""`combench run` when something goes wrong: programs, mpirun, signals, disks and what users do."""

from __future__ import annotations

import codecs
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any

from stage import LIMIT_S, NAMES, Stage, thorough

from combench.common.errors import ENDING, is_missing


def alive(pid: int) -> bool:
    """Not gone, and no zombie that waits for whoever adopted it."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


class Failures(Stage):
    """A measurement that fails is recorded and does not stop the others."""

    def test_each_failure_is_recorded_with_its_reason(self) -> None:
        self.plan.write_text(
            "[oneway]\noccupations = none, source\n[twoway]\noccupations = none, both\n"
            "[alltoall]\nprocessors = 2, 4\n"
        )
        failures = {
            "oneway.mpi.source": ("fail", "the network is down; plug it in"),
            "twoway.mpi.none": ("cut_off", "cut off or damaged"),
            "twoway.mpi.both": ("newer", "its schema is combench-result/2"),
            "alltoall.mpi.2.none": ("stop_early", "not complete"),
        }
        self.actions({name: action for name, (action, _) in failures.items()})
        self.run_driver(str(self.plan), "--ranks", "4", expect=1)
        self.assertEqual(self.states(), ["measured", *["failed"] * 4, "measured"])
        for name, (_, reason) in failures.items():
            self.assertIn(reason, self.entry(name)["reason"])
        log = self.output / self.entry("oneway.mpi.source")["log"]
        self.assertIn("and more that was said", log.read_text(encoding="utf-8"))

    def test_a_launcher_that_fails_silently_is_started_again_without_q(self) -> None:
        self.actions({NAMES[0]: "mute", NAMES[1]: "fail"})
        self.run_driver(str(self.plan), expect=1)
        entry = self.entry(NAMES[0])
        self.assertEqual(
            entry["reason"],
            "exit status 1: A requested component was not found. Component: nonsense",
        )
        self.assertNotIn("-q", entry["command"])
        log = (self.output / entry["log"]).read_text(encoding="utf-8")
        self.assertIn("Component: nonsense", log)
        self.assertEqual(self.started(), [NAMES[0], *NAMES])

    def test_a_missing_capability_is_no_failure(self) -> None:
        self.actions({NAMES[1]: "skip"})
        self.run_driver(str(self.plan), expect=0)
        self.assertEqual(self.states(), ["measured", "skipped", "measured"])
        self.assertIn("no multicast", self.entry(NAMES[1])["reason"])

    def test_an_mpirun_that_hangs_is_ended_with_all_its_processes(self) -> None:
        self.plan.write_text("[oneway]\n[twoway]\ntime-out = 6\n[alltoall]\nprocessors = 2\n")
        self.actions({"twoway.mpi.none": "hang"})
        self.run_driver(str(self.plan), expect=1)
        self.assertEqual(self.states(), ["measured", "timed out", "measured"])
        pids = [int(word) for word in self.await_mark("hanging").split()]
        self.assertEqual([pid for pid in pids if alive(pid)], [])

    def test_nothing_measured_is_a_status_of_its_own(self) -> None:
        self.actions({name: "skip" for name in NAMES})
        self.run_driver(str(self.plan), expect=77)


class Interruptions(Stage):
    """Signals end a run with a valid manifest; --resume goes on from there."""

    def interrupt(self, number: signal.Signals) -> None:
        self.actions({NAMES[1]: "wait_for_signal"})
        driver = self.start(str(self.plan))
        self.await_mark("waiting")
        driver.send_signal(number)
        driver.communicate(timeout=LIMIT_S)
        self.assertEqual(driver.returncode, 1)
        self.assertEqual(self.states(), ["measured", "interrupted", "planned"])
        self.assertEqual(self.manifest()["reason"], number.name)
        self.assertEqual(self.entry(NAMES[1])["rows"], 2)

    def test_sigterm_leaves_partial_results_and_resume_goes_on(self) -> None:
        self.interrupt(signal.SIGTERM)
        self.actions({})
        self.run_driver("--resume", expect=0)
        # A launcher that could not say why it failed is started again for its reason.
        started = self.started()
        self.assertEqual(list(dict.fromkeys(started)), NAMES)
        self.assertGreaterEqual(started.count(NAMES[1]), 2)
        self.assertTrue(self.manifest()["complete"])
        self.assertEqual(self.entry(NAMES[1])["attempts"], 2)

    def test_a_warning_of_a_batch_system_ends_as_sigterm_does(self) -> None:
        self.interrupt(signal.SIGUSR1)

    @thorough
    def test_other_signals_end_as_sigterm_does(self) -> None:
        for number in ENDING:
            with self.subTest(number.name):
                shutil.rmtree(self.output, ignore_errors=True)
                (self.folder / "waiting").unlink(missing_ok=True)
                self.interrupt(number)

    def test_an_error_of_the_driver_closes_the_manifest(self) -> None:
        self.plan.write_text("[oneway]\n[twoway]\n", encoding="utf-8")
        self.actions({NAMES[0]: "spoil"})
        ended = self.run_driver(str(self.plan), expect=1)
        self.assertIn("error: cannot prepare", ended.stderr)
        self.assertEqual(self.states(), ["measured", "planned"])
        self.assertFalse(self.manifest()["complete"])
        self.assertIn("cannot prepare", self.manifest()["reason"])

    def test_what_ran_when_the_driver_was_killed_is_measured_again(self) -> None:
        self.actions({NAMES[1]: "wait_for_signal"})
        driver = self.start(str(self.plan))
        orphan = int(self.await_mark("waiting"))
        driver.kill()
        driver.communicate(timeout=LIMIT_S)
        self.assertEqual(self.states(), ["measured", "running", "planned"])
        refused = self.run_driver("--resume", expect=2)
        self.assertIn("outlived", refused.stderr)
        os.kill(orphan, signal.SIGKILL)
        while alive(orphan):
            time.sleep(0.01)
        self.actions({})
        self.run_driver("--resume", expect=0)
        self.assertEqual(self.states(), ["measured"] * 3)


class Resuming(Stage):
    """What a directory holds is kept, and damage to it is found."""

    @thorough
    def test_a_settled_measurement_is_not_made_again(self) -> None:
        self.actions({NAMES[0]: "fail"})
        self.run_driver(str(self.plan), expect=1)
        self.run_driver("--resume", expect=1)
        self.assertEqual(self.started(), NAMES)

    def test_retry_makes_what_failed_again(self) -> None:
        self.actions({NAMES[0]: "fail"})
        ended = self.run_driver(str(self.plan), "--launch=--oversubscribe", expect=1)
        self.actions({})
        # The output has the whole command, with the options that the directory does not keep.
        said = ended.stdout.partition("repeat failed measurements with combench run ")[2]
        again = self.command(*shlex.split(said))[: 3 + len(shlex.split(said))]
        subprocess.run(again, env=self.environment, check=True, timeout=LIMIT_S)
        self.assertEqual(self.started(), [*NAMES, NAMES[0]])

    def test_a_result_that_was_cut_off_is_measured_again(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        result = self.output / self.entry(NAMES[2])["result"]
        result.write_text(result.read_text(encoding="utf-8")[:20], encoding="utf-8")
        again = self.run_driver("--resume", expect=0)
        self.assertIn(f"{NAMES[2]} is measured again", again.stderr)
        self.assertEqual(self.started(), [*NAMES, NAMES[2]])

    def refuse(self, path: Path, old: str, new: str) -> str:
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return self.run_driver("--resume", expect=2).stderr

    @thorough
    def test_what_this_version_cannot_go_on_with_is_refused(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        session = self.manifest()["sessions"][0]
        self.assertEqual((session["combench"], session["commit"]), ("9.8", "0123abcd"))
        refused = self.run_driver(str(self.plan), expect=2)
        self.assertIn("already has a run", refused.stderr)
        manifest = self.output / "manifest.json"
        result = self.output / self.entry(NAMES[0])["result"]
        for path, old, new, why in (
            (result, "result/1", "result/2", "or a later one"),
            (manifest, "combench-run/1", "combench-run/9", "combench-run/9"),
            (manifest, '"plan"', "", "cut off"),
        ):
            with self.subTest(why):
                sound = path.read_text(encoding="utf-8")
                self.assertIn(why, self.refuse(path, old, new))
                path.write_text(sound, encoding="utf-8")

    def test_another_plan_is_refused(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        self.plan.write_text("[oneway]\n", encoding="utf-8")
        refused = self.run_driver(str(self.plan), "--resume", expect=2)
        self.assertIn("another plan", refused.stderr)

    @thorough
    def test_a_larger_allocation_measures_what_was_left_out(self) -> None:
        self.plan.write_text("[alltoall]\nprocessors = 2, 8\n", encoding="utf-8")
        self.run_driver(str(self.plan), "--ranks", "4", expect=0)
        self.assertEqual(self.states(), ["measured", "left out"])
        self.run_driver("--resume", "--ranks", "8", expect=0)
        self.assertEqual(self.started(), ["alltoall.mpi.2.none", "alltoall.mpi.8.none"])
        self.assertEqual(self.states(), ["measured", "measured"])


    def change(self, key: str, value: Any) -> None:
        """Change a part of the manifest."""
        manifest = self.manifest()
        manifest[key].update(value)
        (self.output / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    def test_keys_of_later_versions_are_ignored(self) -> None:
        self.actions({NAMES[1]: "fail"})
        self.run_driver(str(self.plan), "--repeat", "1", expect=1)
        for key in ("design", "overrides", "plan"):
            self.change(key, {"later": [1]})
        self.run_driver("--resume", expect=1)
        self.assertEqual(self.started(), NAMES)

    @unittest.skipIf(is_missing("fastjsonschema"), "fastjsonschema is missing")
    def test_a_manifest_that_is_damaged_is_refused_with_the_place(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        self.change("design", {"variants": [{"name": "a", "environment": 1}] * 2})
        refused = self.run_driver("--resume", expect=2)
        self.assertIn("manifest.json: design.variants[0].environment: ", refused.stderr)
        self.assertEqual(self.started(), NAMES)

    def test_a_name_that_is_too_long_for_a_file_is_shortened(self) -> None:
        names = ["x" * 150 + "y" * 150 + end for end in "ab"]
        text = "".join(f"[{name}]\nbenchmark = oneway\n" for name in names)
        self.plan.write_text(text, encoding="utf-8")
        self.run_driver(str(self.plan), expect=0)
        self.run_driver("--resume", expect=0)
        started = self.started()
        self.assertEqual(len(set(started)), 2)
        for name in started:
            self.assertRegex(name, r"\Ax{150}y{61}-[0-9a-f]{8}\Z")
            self.assertTrue((self.output / "results" / f"{name}.json").is_file())


class Directories(Stage):
    """One run at a time in a directory that is a run's."""

    def test_two_runs_into_one_directory_are_refused(self) -> None:
        self.actions({NAMES[0]: "wait_for_signal"})
        driver = self.start(str(self.plan))
        self.await_mark("waiting")
        refused = self.run_driver("--resume", expect=2)
        self.assertIn(f"process {driver.pid}", refused.stderr)
        self.assertEqual(self.started(), [NAMES[0]])

    def test_a_directory_with_other_files_is_left_alone(self) -> None:
        self.output.mkdir()
        (self.output / "thesis.tex").write_text("", encoding="ascii")
        self.run_driver(str(self.plan), expect=2)
        self.assertEqual([path.name for path in self.output.iterdir()], ["thesis.tex"])

    def test_a_hostfile_is_the_allocation_also_after_a_resumption(self) -> None:
        hosts = self.folder / "hosts"
        hosts.write_text("a slots=3\nb slots=5\n", encoding="ascii")
        self.plan.write_text("[alltoall]\nprocessors = max\n", encoding="utf-8")
        self.actions({"alltoall.mpi.8.none": "fail"})
        self.run_driver(str(self.plan), "--hostfile", str(hosts), expect=1)
        self.run_driver("--resume", "--retry", "--trust", expect=1)
        entry = self.entry("alltoall.mpi.8.none")
        self.assertEqual((entry["attempts"], entry["oversubscribed"]), (2, False))
        place = entry["command"].index("--hostfile")
        self.assertEqual(entry["command"][place + 1], str(hosts))
        self.assertEqual(self.manifest()["sessions"][1]["allocation"]["hosts"], 2)

    def test_one_word_of_launch_may_begin_with_a_dash(self) -> None:
        shown = self.run_driver(str(self.plan), "--launch", "--oversubscribe", "--dry-run", expect=0)
        self.assertIn("--oversubscribe", shown.stdout)

    def test_mpirun_gets_a_hostfile_without_a_byte_order_mark(self) -> None:
        hosts = self.folder / "hosts"
        hosts.write_bytes(codecs.BOM_UTF8 + b"a slots=3\n")
        shown = self.run_driver(str(self.plan), "--hostfile", str(hosts), "--dry-run", expect=0)
        self.assertIn("--hostfile", shown.stdout)
        self.assertNotIn(str(hosts), shown.stdout)

    def test_a_dry_run_prints_commands_and_makes_nothing(self) -> None:
        shown = self.run_driver(str(self.plan), "--dry-run", expect=0)
        commands = [line for line in shown.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(len(commands), len(NAMES))
        self.assertIn("cb_oneway --technology mpi --compute source", commands[1])
        self.assertFalse(self.output.exists())

    def test_a_program_that_is_missing_is_named_before_the_first_measurement(self) -> None:
        (self.programs / "cb_twoway").unlink()
        refused = self.run_driver(str(self.plan), expect=2)
        self.assertIn("cb_twoway is not in", refused.stderr)
        self.assertFalse(self.output.exists())

    @thorough
    def test_a_technology_that_is_not_built_is_left_out(self) -> None:
        self.plan.write_text("[twoway]\ntechnologies = mpi, sci, pigeon\n", encoding="utf-8")
        self.run_driver(str(self.plan), expect=0)
        self.assertEqual(self.states(), ["measured", "left out", "left out"])
        reasons = [one["reason"] for one in self.manifest()["measurements"][1:]]
        self.assertIn("not built into the programs (SISCI remote memory: install a card)", reasons[0])
        self.assertIn("(no technology has this name); they have mpi, null", reasons[1])


# In a mount namespace of its own: a small file system, a run that fills it, and one that goes on.
FULL_DISK = """
mount -t tmpfs -o size=2m none "$1" || exit 99
output=$1 state=$2
shift 2
"$@" "$PLAN"; echo "status $?" >"$state"
cp "$output/manifest.json" "$state.manifest"
rm -f "$output/results/filler"
: >"$FAKE_ACTIONS"
"$@" --resume; echo "status $?" >>"$state"
"""


# The same with a file system that is full from the beginning.
FULL_AT_FIRST = """
mount -t tmpfs -o size=64k none "$1" || exit 99
output=$1 state=$2
shift 2
cat /dev/zero >"$output/filler" 2>/dev/null
truncate -s -4096 "$output/filler"  # a page for the lock
cd "$output" && mkdir run
"$@" --output run "$PLAN"; echo "status $?" >"$state"
ls run >>"$state"
rm filler
"$@" --output run "$PLAN"; echo "status $?" >>"$state"
"""


class Launching(Stage):
    def test_words_that_the_launcher_refuses_are_reported_before_any_measurement(self) -> None:
        ended = self.run_driver(str(self.plan), "--launch", "nosuch --x", expect=2)
        self.assertIn("--launch 'nosuch --x'", ended.stderr)
        self.assertIn("unable to find nosuch", ended.stderr)
        self.assertFalse(self.output.exists())

    @thorough
    def test_words_that_it_takes_are_in_each_command(self) -> None:
        self.run_driver(str(self.plan), "--launch", "--own 1", expect=0)
        for entry in self.manifest()["measurements"]:
            self.assertIn(" --own 1 ", " ".join(entry["command"]))


class FullDisk(Stage):
    @thorough
    def test_one_that_is_full_before_the_first_manifest_leaves_nothing_to_resume(self) -> None:
        enter = ["unshare", "--map-root-user", "--user", "--mount", "sh", "-c", FULL_AT_FIRST, "sh"]
        self.output.mkdir()
        state = self.folder / "state"
        ended = subprocess.run(
            [*enter, str(self.output), str(state), *self.command()[:-2]],
            env={**self.environment, "PLAN": str(self.plan)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
        )
        if not state.exists():
            self.skipTest(f"no file system can be mounted here: {ended.stdout.strip()}")
        first, *left, second = state.read_text("ascii").splitlines()
        self.assertEqual(first, "status 1", ended.stdout)
        self.assertEqual(left, ["lock", "logs", "results"])
        self.assertIn("then start the run again", ended.stdout)
        self.assertNotIn("holds no run", ended.stdout)
        # There is too little room for results, so that it stops, with a manifest this time.
        self.assertEqual(second, "status 1", ended.stdout)
        self.assertIn("continue with combench run --resume", ended.stdout)

    def test_a_full_disk_ends_the_run_with_a_whole_manifest_and_resume_goes_on(self) -> None:
        enter = ["unshare", "--map-root-user", "--user", "--mount", "sh", "-c", FULL_DISK, "sh"]
        self.actions({NAMES[1]: "fill_disk"})
        self.output.mkdir()
        state = self.folder / "state"
        ended = subprocess.run(
            [*enter, str(self.output), str(state), *self.command()],
            env={**self.environment, "PLAN": str(self.plan)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
        )
        if not state.exists():
            self.skipTest(f"no file system can be mounted here: {ended.stdout.strip()}")
        self.assertEqual(state.read_text("ascii"), "status 1\nstatus 0\n", ended.stdout)
        manifest = json.loads((self.folder / "state.manifest").read_text(encoding="utf-8"))
        states = [entry["state"] for entry in manifest["measurements"]]
        self.assertEqual((states[0], states[2]), ("measured", "planned"))
        self.assertIn(states[1], ("running", "interrupted"))
        # A launcher that could not say why it failed is started again for its reason.
        started = self.started()
        self.assertEqual(list(dict.fromkeys(started)), NAMES)
        self.assertGreaterEqual(started.count(NAMES[1]), 2)


class Batch(Stage):
    """--batch: one command for the first and for every further start of a batch job."""

    def setUp(self) -> None:
        super().setUp()
        self.slurm("RUNNING")
        self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        self.environment["SLURM_JOB_ID"] = "17"
        self.environment["SLURM_NTASKS"] = "2"

    def slurm(self, state: str) -> None:
        """A scontrol that knows a job in this state, and records its other arguments."""
        script = self.folder / "scontrol"
        script.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *show*) echo "JobId=17 JobState={state}" ;;\n'
            f'*) echo "$*" >>{self.folder}/told ;; esac\n',
            encoding="ascii",
        )
        script.chmod(0o755)

    def stop_at(self, name: str, number: signal.Signals = signal.SIGTERM) -> str:
        """What the driver said when a signal came while it measured NAME."""
        self.actions({name: "wait_for_signal"})
        process = self.start(str(self.plan), "--batch")
        self.await_mark("waiting")
        process.send_signal(number)
        said, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 1, said)
        return said

    def told(self) -> str:
        path = self.folder / "told"
        return path.read_text(encoding="ascii") if path.exists() else ""

    def test_a_job_whose_time_ends_is_requeued_and_goes_on(self) -> None:
        self.assertIn("job 17 is requeued", self.stop_at(NAMES[1]))
        self.assertEqual(self.told(), "requeue 17\n")
        self.actions({})
        self.run_driver(str(self.plan), "--batch", expect=0)
        # A launcher that could not say why it failed is started again for its reason.
        started = self.started()
        self.assertEqual(list(dict.fromkeys(started)), NAMES)
        self.assertGreaterEqual(started.count(NAMES[1]), 2)

    @thorough
    def test_other_warnings_requeue_as_well(self) -> None:
        self.assertIn("job 17 is requeued", self.stop_at(NAMES[1], signal.SIGUSR1))

    @thorough
    def test_a_job_that_would_get_no_further_is_not_requeued(self) -> None:
        self.assertIn("longer --time", self.stop_at(NAMES[0]))
        self.assertEqual(self.told(), "")

    @thorough
    def test_a_job_that_was_cancelled_is_not_requeued(self) -> None:
        self.slurm("CANCELLED")
        self.stop_at(NAMES[1])
        self.assertEqual(self.told(), "")

    @thorough
    def test_what_failed_is_tried_once_more_and_not_again(self) -> None:
        self.actions({NAMES[0]: "fail"})
        for _ in range(3):
            self.run_driver(str(self.plan), "--batch", expect=1)
        self.assertEqual(self.started(), [*NAMES, NAMES[0]])

    def test_a_batch_job_says_where_its_results_are(self) -> None:
        command = self.command(str(self.plan), "--batch")[:-2]
        ended = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=LIMIT_S
        )
        self.assertEqual(ended.returncode, 2)
        self.assertIn("--batch: the directory of the run is missing", ended.stderr)


if __name__ == "__main__":
    unittest.main()
