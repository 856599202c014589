#!/usr/bin/env python3
"""`combench run --repeat`, `--until` and `--variant`: launches, their order, and what survives a fault."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import unittest

from stage import LIMIT_S, NAMES, Stage, thorough

NEEDS_SCIPY = unittest.skipIf(importlib.util.find_spec("scipy") is None, "--until needs SciPy")


class Launches(Stage):
    def places(self) -> list[str]:
        """What was started, by its place below results, in this order."""
        lines = (self.folder / "places").read_text(encoding="ascii").splitlines()
        return [line.split()[0] for line in lines]

    def rounds(self, count: int) -> list[list[str]]:
        """The names in each round of launches."""
        found = self.places()
        self.assertEqual(len(found), count * len(NAMES))
        return [
            [place.rpartition("/")[2] for place in found[at : at + len(NAMES)]]
            for at in range(0, len(found), len(NAMES))
        ]


class Repeated(Launches):
    def test_each_launch_has_a_result_and_a_log_of_its_own(self) -> None:
        self.run_driver(str(self.plan), "--repeat", "3", expect=0)
        for folder in ("", "launch-2/", "launch-3/"):
            for name in NAMES:
                self.assertTrue((self.output / "results" / f"{folder}{name}.json").is_file())
                self.assertTrue((self.output / "logs" / f"{folder}{name}.txt").is_file())
        launches = [one.get("launch", 1) for one in self.manifest()["measurements"]]
        self.assertEqual(launches, [1] * 3 + [2] * 3 + [3] * 3)

    @thorough
    def test_a_round_ends_before_the_next_one_begins(self) -> None:
        self.run_driver(str(self.plan), "--repeat", "4", expect=0)
        for names in self.rounds(4):
            self.assertEqual(sorted(names), sorted(NAMES))

    @thorough
    def test_the_order_is_random_and_follows_the_seed(self) -> None:
        orders = []
        for seed in ("5", "5", "6"):
            self.run_driver(str(self.plan), "--repeat", "6", "--seed", seed, expect=0)
            self.assertEqual(self.manifest()["design"]["seed"], int(seed))
            orders.append(self.places())
            shutil.rmtree(self.output)
            (self.folder / "places").unlink()
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        rounds = [orders[0][at : at + 3] for at in range(0, 18, 3)]
        names = {tuple(place.rpartition("/")[2] for place in each) for each in rounds}
        self.assertGreater(len(names), 1, "all rounds have one order")

    @thorough
    def test_a_seed_is_drawn_and_kept(self) -> None:
        self.run_driver(str(self.plan), "--repeat", "2", expect=0)
        self.assertIsInstance(self.manifest()["design"]["seed"], int)

    def test_one_launch_of_each_has_the_order_of_the_plan(self) -> None:
        self.run_driver(str(self.plan), "--seed", "5", expect=0)
        self.assertEqual(self.places(), NAMES)

    def test_a_plan_says_how_often_its_sections_are_launched(self) -> None:
        self.plan.write_text("repeat = 2\n[oneway]\n[twoway]\nrepeat = 1\n", encoding="utf-8")
        self.run_driver(str(self.plan), expect=0)
        self.assertEqual(
            sorted(self.places()), [f"launch-2/{NAMES[0]}", NAMES[0], NAMES[2]]
        )

    def test_the_estimate_counts_launches(self) -> None:
        ended = self.run_driver(str(self.plan), "--repeat", "7", "--dry-run", expect=0)
        self.assertIn("21 starts with up to", ended.stdout)
        self.assertIn("7 launches", ended.stdout)
        self.assertEqual(ended.stdout.count("--output"), 21)

    def test_a_launch_that_fails_is_retried_alone(self) -> None:
        self.actions({f"launch-2/{NAMES[1]}": "fail"})
        self.run_driver(str(self.plan), "--repeat", "3", expect=1)
        self.assertEqual(self.entry(f"{NAMES[1]}.launch-2")["state"], "failed")
        self.assertEqual(self.states().count("measured"), 8)
        self.actions({})
        self.run_driver("--resume", "--retry", expect=0)
        self.assertEqual(self.places()[9:], [f"launch-2/{NAMES[1]}"])


class Continued(Launches):
    def begin(self, number: signal.Signals) -> list[str]:
        """End a run of three launches in its second round. Returns its places."""
        self.actions({f"launch-2/{NAMES[1]}": "wait_for_signal"})
        driver = self.start(str(self.plan), "--repeat", "3", "--seed", "5")
        self.await_mark("waiting")
        driver.send_signal(number)
        driver.communicate(timeout=LIMIT_S) if number != signal.SIGKILL else driver.wait(LIMIT_S)
        self.actions({})
        return self.places()

    def finish(self, before: list[str]) -> None:
        self.run_driver("--resume", expect=0)
        self.assertTrue(self.manifest()["complete"])
        self.assertEqual(self.states(), ["measured"] * 9)
        # What was interrupted is started again; all others once, in the order of the seed.
        self.assertEqual(self.places()[len(before)], before[-1])
        resumed = before[:-1] + self.places()[len(before) :]
        shutil.rmtree(self.output)
        (self.folder / "places").unlink()
        self.run_driver(str(self.plan), "--repeat", "3", "--seed", "5", expect=0)
        self.assertEqual(resumed, self.places())

    def test_a_signal_in_the_second_round_loses_nothing(self) -> None:
        self.finish(self.begin(signal.SIGTERM))

    def test_a_driver_that_is_killed_loses_nothing(self) -> None:
        before = self.begin(signal.SIGKILL)
        waiting = int(self.await_mark("waiting"))
        self.assertIn("running", self.states())
        os.kill(waiting, signal.SIGKILL)  # it holds the lock
        self.finish(before)

    def test_resume_adds_launches(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        self.run_driver("--resume", "--repeat", "2", expect=0)
        self.assertEqual(sorted(self.places()[3:]), sorted(f"launch-2/{name}" for name in NAMES))
        self.assertEqual(self.manifest()["design"]["repeat"], 2)

    @thorough
    def test_resume_does_not_contradict_the_run(self) -> None:
        self.run_driver(str(self.plan), "--repeat", "2", "--seed", "5", expect=0)
        ended = self.run_driver("--resume", "--repeat", "1", expect=2)
        self.assertIn("has 2 launches; give --repeat 2 or more", ended.stderr)
        ended = self.run_driver("--resume", "--seed", "6", expect=2)
        self.assertIn("another --until, --seed or --variant", ended.stderr)


@NEEDS_SCIPY
class Until(Launches):
    def test_what_is_precise_is_not_launched_again(self) -> None:
        self.actions({NAMES[0]: "precise"})
        self.run_driver(str(self.plan), "--until", "2%", "--repeat", "5", expect=0)
        names = [place.rpartition("/")[2] for place in self.places()]
        self.assertEqual([names.count(name) for name in NAMES], [3, 5, 5])
        spared = self.entry(f"{NAMES[0]}.launch-4")
        self.assertEqual(spared["state"], "left out")
        self.assertIn("within 2 %", spared["reason"])

    def test_without_repeat_ten_launches_are_the_most(self) -> None:
        ended = self.run_driver(str(self.plan), "--until", "1", "--dry-run", expect=0)
        self.assertIn("30 starts", ended.stdout)
        self.assertIn("up to 10 launches", ended.stdout)

    @thorough
    def test_a_precision_that_is_none_is_refused(self) -> None:
        for wrong in ("0", "2 %", "x%"):
            ended = self.run_driver(str(self.plan), "--until", wrong, expect=2)
            self.assertIn("--until", ended.stderr)


VARIANTS = ("--variant", "plain", "--variant", "tried:CB_TRIED=tcp,self,CB_OTHER=1")


class Variants(Launches):
    def lines(self) -> list[list[str]]:
        """Place, variable and folder of the programs of each start."""
        text = (self.folder / "places").read_text(encoding="ascii")
        return [line.split(" ") for line in text.splitlines()]

    def test_each_start_has_the_variables_of_its_variant(self) -> None:
        self.run_driver(str(self.plan), *VARIANTS, expect=0)
        for place, variable, _ in self.lines():
            self.assertEqual(variable, "tcp,self" if place.startswith("tried/") else "-")
        command = self.entry(f"{NAMES[0]}.tried")["command"]
        passed = [following for word, following in zip(command, command[1:]) if word == "-x"]
        self.assertEqual(passed, ["CB_TRIED", "CB_OTHER"])
        self.assertNotIn("-x", self.entry(f"{NAMES[0]}.plain")["command"])

    def test_variants_of_a_measurement_are_launched_one_after_the_other(self) -> None:
        self.run_driver(str(self.plan), *VARIANTS, "--repeat", "6", "--seed", "1", expect=0)
        places = [place.split("/") for place in self.places()]
        firsts = []
        for one, other in zip(places[::2], places[1::2]):
            self.assertEqual(one[1:], other[1:])
            self.assertEqual({one[0], other[0]}, {"plain", "tried"})
            firsts.append(one[0])
        self.assertEqual(set(firsts), {"plain", "tried"}, "one variant always comes first")

    def test_a_control_is_launched_beside_them_in_each_round(self) -> None:
        self.run_driver(str(self.plan), *VARIANTS, "--repeat", "2", expect=0)
        controls = [place for place in self.places() if "control.null" in place]
        folders = ["plain", "plain/launch-2", "tried", "tried/launch-2"]
        self.assertEqual(sorted(controls), [f"{folder}/control.null.none" for folder in folders])

    @thorough
    def test_a_plan_may_have_its_own_control(self) -> None:
        self.plan.write_text("[control]\nbenchmark = twoway\n[oneway]\n", encoding="utf-8")
        self.run_driver(str(self.plan), *VARIANTS, expect=0)
        controls = {place.rpartition("/")[2] for place in self.places() if "control" in place}
        self.assertEqual(controls, {"control.mpi.none"})

    def test_a_variant_may_be_another_build(self) -> None:
        other = self.folder / "other"
        shutil.copytree(self.programs, other)
        self.run_driver(
            str(self.plan), "--variant", "old", "--variant", f"new:CB_BUILD={other}", expect=0
        )
        for place, _, folder in self.lines():
            self.assertEqual(folder, str(other if place.startswith("new/") else self.programs))

    def test_a_build_without_programs_is_refused(self) -> None:
        ended = self.run_driver(
            str(self.plan), "--variant", "old", "--variant", "new:CB_BUILD=/nowhere", expect=2
        )
        self.assertIn("variant new: the program cb_", ended.stderr)

    def test_a_dry_run_shows_the_variables(self) -> None:
        ended = self.run_driver(str(self.plan), *VARIANTS, "--dry-run", expect=0)
        self.assertIn("env CB_TRIED=tcp,self CB_OTHER=1 ", ended.stdout)
        self.assertFalse(self.output.exists())

    @thorough
    def test_a_resumed_run_has_its_variants(self) -> None:
        self.actions({f"tried/{NAMES[0]}": "fail"})
        self.run_driver(str(self.plan), *VARIANTS, expect=1)
        self.actions({})
        self.run_driver("--resume", "--retry", expect=2)
        self.run_driver("--resume", "--retry", "--trust", expect=0)
        self.assertEqual(self.lines()[-1][:2], [f"tried/{NAMES[0]}", "tcp,self"])

    def test_wrong_variants_are_refused(self) -> None:
        many = [word for number in range(9) for word in ("--variant", f"v{number}")]
        for words, reason in (
            (["--variant", "one"], "has nothing to be compared with"),
            (["--variant", "a", "--variant", "a:X=1"], "are not different names"),
            (["--variant", "a b", "--variant", "c"], "is not a name of a variant"),
            (["--variant", "launch-2", "--variant", "c"], "is not a name of a variant"),
            (["--variant", "a:X", "--variant", "c"], "is not a setting; give ENV=VALUE"),
            (["--variant", "a:1X=2", "--variant", "c"], "is not a setting; give ENV=VALUE"),
            (["--variant", "a:X=1,X=2", "--variant", "c"], "sets X twice"),
            (["--variant", "a:X=\t", "--variant", "c"], "control characters"),
            (many, "more than 8 variants"),
            (["--repeat", "0"], "give an integer from 1 to 1000"),
            (["--seed", "x"], "give an integer from 0"),
        ):
            ended = self.run_driver(str(self.plan), *words, expect=2)
            self.assertIn(reason, ended.stderr)
            self.assertFalse(self.output.exists())


if __name__ == "__main__":
    unittest.main()
