#!/usr/bin/env python3
"""Plans: what they mean, which mistakes are found, and what they become in an allocation."""

from __future__ import annotations

import argparse
import codecs
import io
import os
import pty
import re
import select
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stage import TOP

from combench import main
from combench.common import catalogue
from combench.common.errors import SuiteError
from combench.common.progress import Advance, Progress, duration
from combench.compare import compare
from combench.suite import allocation, plan, prediction, run
from combench.suite.allocation import Allocation
from combench.suite.expand import Measurement, Overrides, expand
from combench.suite.launcher import HYDRA, OPENMPI, SRUN, Job, Launcher
from combench.suite.measure import Setting

BENCHMARKS = catalogue.known().benchmarks
LISTED = next(one for one in BENCHMARKS.values() if one.lists)


NETWORKS_OF_TODAY = {"ofi method=message", "ofi method=write", "ucx method=am", "ucx method=put", "rma"}


def measurements(text: str, ranks: int, overrides: Overrides = Overrides()) -> list[Measurement]:
    return list(expand(plan.parse(text, "test.plan"), ranks, overrides))


def names(text: str, ranks: int) -> list[str]:
    return [one.name for one in measurements(text, ranks)]


# A plan with a mistake: the line that is named, and a part of what is said.
MISTAKES = {
    "unknown benchmark": ("[onway]", 1, "did you mean oneway?"),
    "unknown key": ("[oneway]\noccupation = none", 2, "did you mean occupations?"),
    "unknown key of a plan": ("rank = 3\n[oneway]", 1, "did you mean ranks?"),
    "key of a section in the head": ("processors = 4\n[alltoall]", 1, "not a key of a whole plan"),
    "no value": ("[oneway]\nsizes =", 2, "write KEY = VALUE"),
    "no key": ("[oneway]\nsizes", 2, "write KEY = VALUE"),
    "key twice": ("[oneway]\nsizes = 1\nsizes = 2", 3, "keep one of the lines"),
    "section twice": ("[oneway]\n[oneway]", 2, "rename one"),
    "broken section": ("[one way]", 1, "write [NAME]"),
    "size without a unit": ("[oneway]\n# a line\nsizes = 1, 4Kb", 3, "'4Kb' is not a size"),
    "value twice": ("[oneway]\nsizes = 1, 1", 2, "give each value once"),
    "count of another benchmark": ("[oneway]\nprocessors = 4", 2, "cb_oneway has no processors"),
    "crowd that calibrates": ("[calibrate]\nprocessors = 4", 2, "give 2, 3, or max"),
    "odd number of pairs": ("[pairs]\nprocessors = 4, 5", 2, "give an even number"),
    "broken farm": ("[pushfarm]\nfarms = 4-4", 2, "sources x destinations"),
    "broken topology": ("[pipeline]\ntopologies = 4x2", 2, "4-2-1"),
    "largest topology": ("[pipeline]\ntopologies = max", 2, "is not a topology"),
    "occupation of group 2": ("[pushfarm]\noccupations = none", 2, "use algorithms"),
    "algorithm of group 1": ("[oneway]\nalgorithms = 0", 2, "use occupations"),
    "occupation of Parkbench": ("[comms1]\noccupations = none", 2, "belong to group 1; remove it"),
    "part of a microsecond": ("[pushfarm]\nalgorithms = 50ns", 2, "not a whole number of us"),
    "algorithm of Parkbench": ("[comms3]\nalgorithms = 0", 2, "belong to group 2; remove it"),
    "side that is none": ("[twoway]\noccupations = source", 2, "use none, both"),
    "time without end": ("max-time = inf\n[oneway]", 1, "number of seconds"),
    "time of nothing": ("max-time = 0\n[oneway]", 1, "number of seconds"),
    "option of the driver": ("[oneway]\noptions = --output=x", 2, "set by the driver"),
    "prediction of one": ("predict = 1\n[oneway]", 1, "predict"),
    "prediction in a section": ("[oneway]\npredict = 100", 2, "not a key of section"),
    "parameter without a value": ("technologies = mpi, ofi write\n[oneway]", 1, "write NAME=VALUE after"),
    "technology twice": ("technologies = ofi a=1, ofi a=1\n[oneway]", 1, "'ofi a=1' occurs twice"),
    "no technology": ("technologies = mpi,\n[oneway]", 1, "give names separated by commas"),
    "parameters in two places": (
        "technologies = mpi, ofi a=1\n[oneway]\noptions = --parameter b=2",
        3,
        "also set by 'ofi a=1' of technologies",
    ),
    "timeline of others": ("[oneway]\ntimeline = 8", 2, "has no timeline"),
    "timeline of nothing": ("[evb]\ntimeline = 0", 2, "an integer from 1"),
    "victims of others": ("[oneway]\nvictims = twoway", 2, "has no victims"),
    "victims alone": ("[congest]\nvictims = oneway", 1, "needs aggressors"),
    "processors of congestion": ("[congest]\nprocessors = 4", 2, "has no processors"),
    "open quote": ("[oneway]\noptions = '--mode", 2, "No closing quotation"),
    "empty plan": ("# nothing\n", 1, "has no section; add one"),
}


class Mistakes(unittest.TestCase):
    def test_each_is_found_in_its_line_with_a_remedy(self) -> None:
        for name, (text, line, said) in MISTAKES.items():
            with self.subTest(name):
                with self.assertRaises(SuiteError) as caught:
                    plan.parse(text, "test.plan")
                self.assertTrue(str(caught.exception).startswith(f"test.plan:{line}: "))
                self.assertIn(said, str(caught.exception))
                self.assertEqual(caught.exception.status, 2)

    def test_a_plan_that_is_not_there_is_named_with_the_nearest(self) -> None:
        with self.assertRaisesRegex(SuiteError, "did you mean note48"):
            plan.read("note84")


class Meaning(unittest.TestCase):
    def test_an_option_that_is_no_number_is_left_to_the_program(self) -> None:
        head = "[congest]\nvictims = oneway\naggressors = busy\noptions = --rounds "
        (usual,), (odd,) = measurements(f"{head}5\n", 4), measurements(f"{head}x\n", 4)
        self.assertEqual(odd.expected_s, usual.expected_s)
        self.assertIn("x", odd.words)

    def test_rounds_take_their_time(self) -> None:
        head = "max-time = 10\n[congest]\nvictims = oneway\naggressors = busy\noptions = --rounds "
        (few,), (many,) = measurements(f"{head}2\n", 4), measurements(f"{head}6\n", 4)
        self.assertAlmostEqual(many.expected_s - few.expected_s, (6 - 2) * 2 * 10)

    def test_axes_are_multiplied_and_named(self) -> None:
        text = "[funnel]\nsources = 2, 4\noccupations = none, both\ntechnologies = mpi, tcp"
        found = names(text, 17)
        self.assertEqual(len(found), 8)
        self.assertEqual(found[0], "funnel.mpi.2.none")
        self.assertEqual(found[-1], "funnel.tcp.4.both")

    def test_a_technology_takes_its_parameters_along(self) -> None:
        text = "technologies = mpi, ofi method=write provider=tcp;ofi_rxm\n[oneway]"
        plain, chosen = measurements(text, 2)
        self.assertEqual(plain.name, "oneway.mpi.none")
        self.assertNotIn("--parameter", plain.words)
        self.assertEqual(chosen.name, "oneway.ofi.write.tcp-ofi_rxm.none")
        self.assertEqual(chosen.technology, "ofi")
        words = ("--technology", "ofi", "--parameter", "method=write,provider=tcp;ofi_rxm")
        self.assertEqual(chosen.words[:4], words)

    def test_a_parameter_that_is_a_list_stands_in_quotes(self) -> None:
        found = measurements("technologies = ucx transports='posix,self', mpi\n[oneway]", 2)
        self.assertEqual([one.technology for one in found], ["ucx", "mpi"])
        self.assertEqual(found[0].words[3], "transports='posix,self'")

    def test_each_victim_is_measured_beside_each_aggressor_on_all_ranks(self) -> None:
        text = "[congest]\nvictims = oneway, 'ring --sizes 8,64'\naggressors = none, alltoall --sizes 64"
        found = measurements(text, 6)
        self.assertEqual([one.ranks for one in found], [6] * 4)
        self.assertEqual(found[3].name, "congest.mpi.ring---sizes-8-64.alltoall---sizes-64")
        words = found[3].words
        self.assertEqual(words[words.index("--victim") + 1], "ring --sizes 8,64")
        self.assertEqual(words[words.index("--aggressor") + 1], "alltoall --sizes 64")
        self.assertNotIn("--buffers", words)

    def test_names_are_unique_where_only_waits_differ(self) -> None:
        self.assertEqual(
            names("[oneway]\nwaits = spin, yield", 2),
            ["oneway.mpi.none.spin", "oneway.mpi.none.yield"],
        )

    def test_a_section_comes_before_the_head_and_the_command_line_before_both(self) -> None:
        text = "max-time = 0.5\n[oneway]\nmax-time = 0.25\n[twoway]"
        times = [one.words[one.words.index("--max-time") + 1] for one in measurements(text, 2)]
        self.assertEqual(times, ["0.25", "0.5"])
        given = measurements(text, 2, Overrides(max_time_s=3, timeout_s=9))
        self.assertEqual([one.timeout_s for one in given], [9, 9])
        self.assertEqual(given[0].words[given[0].words.index("--max-time") + 1], "3")

    def test_max_is_what_fits_the_job_and_is_there_once(self) -> None:
        pairs = "[pairs]\nprocessors = 4, max"
        self.assertEqual(names(pairs, 7), ["pairs.mpi.4.none", "pairs.mpi.6.none"])
        self.assertEqual(names(pairs, 5), ["pairs.mpi.4.none"])
        self.assertEqual(names("[funnel]\nsources = max", 9), ["funnel.mpi.8.none"])
        self.assertEqual(names("[pushfarm]\nfarms = max", 10), ["pushfarm.mpi.4x4"])

    def test_a_farm_takes_its_supervisor_along(self) -> None:
        found = measurements("[pullfarm]\nfarms = 8x1\nalgorithms = 0, 50", 17)[0]
        self.assertEqual(found.ranks, 10)
        words = "--technology mpi --sources 8 --destinations 1 --algorithm 0,50"
        self.assertEqual(" ".join(found.words[:8]), words)

    def test_times_of_the_algorithm_take_units(self) -> None:
        found = measurements("[pullfarm]\nfarms = 1x1\nalgorithms = 0, 50us, 2ms", 3)[0]
        self.assertIn("0,50,2000", found.words)

    def test_a_job_with_changing_lists_has_twice_the_destinations_where_ranks_allow(self) -> None:
        for ranks, started in ((30, 17), (17, 17), (12, 12), (9, 9)):
            found = measurements(f"[{LISTED.name}]\ndestinations = 8", ranks)[0]
            self.assertEqual(found.ranks, started, f"{ranks} ranks")
        for words in ("--list fixed", "--list=fixed"):
            text = f"[{LISTED.name}]\ndestinations = 8\noptions = {words}"
            self.assertEqual(measurements(text, 30)[0].ranks, 9)
        self.assertEqual(measurements("[funnel]\nsources = 8", 30)[0].ranks, 9)

    def test_spare_ranks_leave_each_rank_its_core(self) -> None:
        text = plan.parse(f"[{LISTED.name}]\ndestinations = 8", "test.plan")
        for cores, started in ((8, 17), (9, 9), (12, 12), (20, 17)):
            self.assertEqual(next(expand(text, 30, Overrides(), cores)).ranks, started)

    def test_options_that_choose_one_list_leave_fewer_rows(self) -> None:
        plain = measurements(f"[{LISTED.name}]\ndestinations = 4", 9)[0].rows
        for words, part in (("--list fixed", 4), ("--list=new --mode round", 4), ("--verify", 1)):
            text = f"[{LISTED.name}]\ndestinations = 4\noptions = {words}"
            self.assertEqual(measurements(text, 9)[0].rows, plain // part)

    def test_sizes_go_to_the_program_in_bytes(self) -> None:
        found = measurements("[oneway]\nsizes = 0, 4KiB, 1MB", 2)[0]
        self.assertIn("0,4096,1000000", found.words)

    def test_a_hash_begins_a_comment(self) -> None:
        text = "# head\n[oneway] # section\nsizes = 1 # value"
        self.assertEqual(names(text, 2), ["oneway.mpi.none"])


class Shipped(unittest.TestCase):
    """The plans that come with the driver."""

    def test_all_are_valid_and_their_names_unique(self) -> None:
        names = "acceptance congestion eventbuilding farms full gpcnet incast links note48 parkbench quick scaling sci-note technologies"
        self.assertEqual(plan.shipped(), names.split())
        for name in plan.shipped():
            found = [one.name for one in expand(plan.read(name), 17, Overrides())]
            self.assertEqual(len(found), len(set(found)), name)

    def test_note48_has_all_that_the_note_asks_for(self) -> None:
        chosen = plan.read("note48")
        found = list(expand(chosen, chosen.ranks, Overrides()))
        of_note = [one for one in BENCHMARKS.values() if one.of_note]
        measured = {one.benchmark for one in found}
        counterparts = {one.name for one in BENCHMARKS.values() if one.counterpart}
        self.assertLessEqual({one.name for one in of_note} | counterparts | {"calibrate"}, measured)
        for benchmark in of_note:
            mine = [one for one in found if one.benchmark == benchmark.name]
            self.assertLessEqual(set(benchmark.count.usual), {one.shape for one in mine})
            self.assertLessEqual(max(one.ranks for one in mine), chosen.ranks)
        for one in found:
            if one.id in {benchmark.id for benchmark in of_note} and "caching" not in one.name:
                self.assertNotIn("--sizes", one.words)  # its sizes are those of the programs
            if one.group == "farm" and one.section == one.benchmark:
                self.assertIn("0,50,500", one.words)
        to_one = {one.shape for one in found if one.benchmark == "pushfarm"}
        self.assertLessEqual({"4x1", "6x1", "8x1"}, to_one)

    def test_note48_occupies_each_side_at_all_counts_with_both_waits(self) -> None:
        found = list(expand(plan.read("note48"), 17, Overrides()))
        for benchmark in BENCHMARKS.values():
            sides = set(benchmark.occupations) - {"none"}
            sides -= {"both"} if "source" in sides else set()
            shapes = benchmark.count.usual if benchmark.of_note else ()
            wanted = {(side, wait, shape) for side in sides for wait in ("spin", "yield") for shape in shapes}
            mine = [one for one in found if one.benchmark == benchmark.name]
            have = {(one.occupation, one.wait, one.shape) for one in mine}
            with self.subTest(benchmark.name):
                self.assertLessEqual(wanted, have)

    def test_note48_measures_open_loops_and_caching_and_predicts(self) -> None:
        chosen = plan.read("note48")
        found = list(expand(chosen, 17, Overrides()))
        self.assertEqual(chosen.predicted, (100, 1000))
        rotated = {one.benchmark for one in found if "rotate" in one.words}
        self.assertIn("oneway", rotated)
        for benchmark in BENCHMARKS.values():
            if benchmark.count.is_farm:
                mine = [one for one in found if one.benchmark == benchmark.name]
                self.assertTrue(any("--load-curve" in one.words for one in mine), benchmark.name)

    def test_parkbench_has_its_programs_beside_those_of_the_note_at_equal_sizes(self) -> None:
        chosen = plan.read("parkbench")
        found = list(expand(chosen, 4, Overrides()))
        pairs = ["oneway", "comms1", "twoway", "comms2", "alltoall", "comms3"]
        self.assertEqual([one.benchmark for one in found], pairs)
        listed = next(one for one in chosen.sections if one.name == "alltoall").values["sizes"]
        self.assertEqual(listed.numbers, frozenset(BENCHMARKS["oneway"].sizes_bytes))

    def test_sci_note_has_table_1_for_the_note_and_the_default_within_6_minutes(self) -> None:
        chosen = plan.read("sci-note")
        found = list(expand(chosen, chosen.ranks, Overrides(), 2))
        sizes = frozenset(8 << power for power in range(11))
        for section in chosen.sections:
            self.assertEqual(section.values["sizes"].numbers, sizes)
        modes = {mode.name for mode in BENCHMARKS["oneway"].modes}
        self.assertLessEqual({"pingpong", "stream"}, modes)
        wanted = {
            (note, f"max_outst_buffers={outstanding},use_send_pool={pool}")
            for note in (True, False)
            for outstanding in (1, 4, 15)
            for pool in (0, 1)
        }
        mine = [one.words for one in found if one.technology == "sci"]
        have = {("--config" in words, words[words.index("--parameter") + 1]) for words in mine}
        self.assertEqual((have, len(mine)), (wanted, len(wanted)))
        others = {str(over) for over in chosen.sections[-1].values["technologies"]}
        self.assertEqual(others, {"tcp", "udp", "mpi", *NETWORKS_OF_TODAY})
        self.assertLess(sum(one.expected_s for one in found), 6 * 60)

    def test_technologies_has_group_1_and_a_farm_over_each_within_10_minutes(self) -> None:
        chosen = plan.read("technologies")
        found = list(expand(chosen, chosen.ranks, Overrides(), 2))
        wanted = {one.name for one in BENCHMARKS.values() if one.of_note and one.occupations} | {"pushfarm"}
        self.assertEqual({one.benchmark for one in found}, wanted)
        for section in chosen.sections:
            over = {str(one) for one in section.values["technologies"]}
            self.assertEqual(over, {"mpi", "sci", "tcp", "udp", *NETWORKS_OF_TODAY}, section.name)
        self.assertEqual([one.name for one in found if one.obstacle], [])
        self.assertLess(sum(one.expected_s for one in found), 7 * 60)  # farms on shared cores take longer

    def test_full_has_every_benchmark_of_the_note_and_of_parkbench(self) -> None:
        found = {section.benchmark.name for section in plan.read("full").sections}
        wanted = (one for one in BENCHMARKS.values() if one.of_note or one.counterpart)
        self.assertLessEqual({one.name for one in wanted}, found)

    def test_all_but_those_of_tables_and_maps_measure_what_predictions_are_made_of(self) -> None:
        for name in set(plan.shipped()) - {"acceptance", "congestion", "gpcnet", "links", "parkbench", "sci-note", "technologies"}:
            for over in plan.read(name).sections[0].values["technologies"]:
                found = expand(plan.read(name), 17, Overrides())
                of_it = [one for one in found if one.technology == over.technology]
                with self.subTest(name, technology=over.technology):
                    self.assertIn("calibrate", {one.benchmark for one in of_it})

    def test_a_calibration_has_a_core_for_each_rank_where_it_can(self) -> None:
        for cores, ranks in ((17, 3), (3, 3), (2, 2), (1, 2)):
            found = expand(plan.read("quick"), 5, Overrides(), cores)
            calibrating = [one for one in found if one.benchmark == "calibrate"]
            self.assertEqual([one.ranks for one in calibrating], [ranks], f"{cores} cores")
            # Of two ranks half of the modes, of twelve sizes each.
            self.assertEqual(calibrating[0].rows, 96 if ranks == 3 else 36)

    def test_the_largest_map_has_the_ranks_of_the_plan_also_on_fewer_cores(self) -> None:
        for name in ("acceptance", "links"):
            chosen = plan.read(name)
            (found,) = [one for one in expand(chosen, chosen.ranks, Overrides(), 2) if one.benchmark == "linkmap"]
            self.assertEqual(found.ranks, chosen.ranks, name)

    def test_quick_is_expected_to_measure_for_a_minute_on_two_cores(self) -> None:
        """A minute of measuring and of starts; the rest is that of a slow start."""
        found = expand(plan.read("quick"), 5, Overrides(), 2)
        self.assertLess(sum(one.repeat * one.expected_s for one in found), 80)

    def test_quick_and_note48_launch_farms_and_patterns_three_times(self) -> None:
        for name, least in (("quick", 0.7), ("note48", 0.5)):
            chosen = plan.read(name)
            found = list(expand(chosen, chosen.ranks, Overrides(), 2))
            often = [one for one in found if one.repeat >= 3]
            self.assertGreater(len(often), least * sum(not one.is_occupied for one in found), name)
            self.assertLessEqual({"pushfarm", "pullfarm"}, {one.benchmark for one in often})

    def test_lists_change_their_members_in_all_that_measure_changing_lists(self) -> None:
        for name in ("quick", "note48", "full"):
            chosen = plan.read(name)
            found = expand(chosen, chosen.ranks, Overrides())
            lists = [one for one in found if one.section == LISTED.name]
            with self.subTest(name):
                self.assertTrue(any(one.ranks > 2 * int(one.shape) for one in lists))

    def test_note48_is_expected_to_end_within_30_minutes_on_two_cores(self) -> None:
        chosen = plan.read("note48")
        found = [one for one in expand(chosen, chosen.ranks, Overrides(), 2) if not one.obstacle]
        expected_s = sum(one.repeat * one.expected_s for one in found) + prediction.EXPECTED_S
        self.assertLess(expected_s, 30 * 60)


class OfferedLoads(unittest.TestCase):
    """The rows and the time of open loops."""

    def of(self, options: str) -> tuple[int, float]:
        text = f"max-time = 1\n[pushfarm]\nfarms = 2x2\nalgorithms = 0\nsizes = 64\n{options}"
        found = measurements(text, 5)[0]
        return found.rows, found.expected_s

    def test_a_row_and_its_time_are_counted_for_each_rate_of_a_load_curve(self) -> None:
        rows, closed_s = self.of("")
        self.assertEqual(rows, 1)
        for options, rates in (
            ("options = --load-curve 90%", 1),
            ("options = --load-curve=10kHz,50%,90%", 3),
            ("options = --load-curve auto", 9),
        ):
            rows, expected_s = self.of(options)
            self.assertEqual(rows, 1 + rates, options)
            self.assertAlmostEqual(expected_s - closed_s, rates, msg=options)

    def test_one_mode_or_one_list_has_fewer_rows(self) -> None:
        text = "[{0}]\n{1} = 4\nsizes = 64\n"
        for benchmark, key, option in (
            ("funnel", "sources", "--mode event"),
            (LISTED.name, "destinations", "--list fixed"),
        ):
            plain = measurements(text.format(benchmark, key), 5)[0].rows
            chosen = measurements(text.format(benchmark, key) + f"options = {option}", 5)[0].rows
            self.assertLess(chosen, plain, option)

    def test_a_search_takes_longer_than_a_rate(self) -> None:
        rows, found_s = self.of("options = --find-rate --deadline-us 5000")
        self.assertEqual(rows, 2)
        self.assertGreater(found_s, self.of("options = --load-curve 50%")[1])
        self.assertEqual(self.of("options = --rate 1kHz"), self.of(""))


class Obstacles(unittest.TestCase):
    """Slowdowns beside spinning ranks that share cores are left out."""

    TEXT = "[oneway]\noccupations = none, source\nwaits = spin, yield"

    def test_only_where_they_would_be_no_figures(self) -> None:
        for cores, expected in ((1, ["oneway.mpi.source.spin"]), (2, [])):
            found = expand(plan.parse(self.TEXT, "test.plan"), 2, Overrides(), cores)
            self.assertEqual([one.name for one in found if one.obstacle], expected)


class Environment(unittest.TestCase):
    """What the environment says of the allocation."""

    def test_slurm_tasks_are_slots(self) -> None:
        words = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_NTASKS": "12"}
        self.assertEqual(allocation.find(words), Allocation("slurm", 12, 2, "7"))

    def test_slurm_processors_are_slots_where_no_tasks_were_asked_for(self) -> None:
        words = {"SLURM_JOB_ID": "7", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8"}
        self.assertEqual(allocation.find(words), Allocation("slurm", 40, 3, "7"))

    def test_lines_of_a_pbs_file_are_slots(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "nodes")
            path.write_text("a\na\nb\n", encoding="ascii")
            found = allocation.find({"PBS_NODEFILE": str(path), "PBS_JOBID": "9"})
        self.assertEqual(found, Allocation("pbs", 3, 2, "9"))

    def test_lsf_names_hosts_with_their_slots(self) -> None:
        self.assertEqual(
            allocation.find({"LSB_MCPU_HOSTS": "a 4 b 8"}), Allocation("lsf", 12, 2, "")
        )

    def test_sizes_of_batch_systems_that_are_no_numbers_are_named(self) -> None:
        for name, value in (
            *(("SLURM_NTASKS", value) for value in ("0", "-5", "abc", "")),
            ("SLURM_JOB_NUM_NODES", "two"),
            ("SLURM_JOB_CPUS_PER_NODE", "4(xx)"),
            ("LSB_MCPU_HOSTS", "a abc"),
            ("LSB_MCPU_HOSTS", ""),
            ("PBS_NODEFILE", os.devnull),
        ):
            job = {"SLURM_JOB_ID": "7"} if name.startswith("SLURM") else {}
            with self.assertRaisesRegex(SuiteError, name):
                allocation.find({**job, name: value})

    def hosts_of(self, text: str) -> Allocation:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "hosts")
            path.write_text(text, encoding="ascii")
            return allocation.of_hostfile(path)

    def test_slots_of_a_hostfile_are_counted(self) -> None:
        text = "# mine\na slots=4 max_slots=8\nb:2  # of MPICH\n\nc\na slots=1\n"
        self.assertEqual(self.hosts_of(text), Allocation("hostfile", 8, 3))

    def test_a_byte_order_mark_is_skipped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "hosts")
            for content in (b"a\n", codecs.BOM_UTF8 + b"a\n"):
                path.write_bytes(content)
                self.assertEqual(Path(allocation.for_launcher(path)).read_bytes(), b"a\n")
                self.assertEqual(allocation.of_hostfile(path).hosts, 1)
            path = Path(folder, "marked.plan")
            path.write_text("title = T\n[oneway]\nsizes = 64\n", encoding="utf-8-sig")
            self.assertEqual(plan.read(str(path)).title, "T")

    def test_a_hostfile_with_a_mistake_is_refused_with_its_line(self) -> None:
        mistakes = (("a\nb slots=two", "hosts:2: 'two'"), ("a:0", "hosts:1"), ("#", "no host"))
        for text, said in mistakes:
            with self.assertRaisesRegex(SuiteError, said):
                self.hosts_of(text)
        with self.assertRaisesRegex(SuiteError, "cannot read --hostfile no/such"):
            allocation.of_hostfile(Path("no/such"))

    def test_without_a_batch_system_it_is_this_machine(self) -> None:
        found = allocation.find({})
        self.assertEqual((found.kind, found.hosts), ("local", 1))
        self.assertGreater(found.slots, 0)


class Launchers(unittest.TestCase):
    """The words that start ranks."""

    def words(
        self,
        kind: str,
        oversubscribed: bool,
        hosts: int,
        placement: str = "spread",
        bound: bool = True,
    ) -> str:
        launcher = Launcher(kind, ("start",), ("--own",))
        job = Job(5, oversubscribed, hosts, placement, 4 * hosts, bound)
        return " ".join(launcher.words(job))

    def test_ranks_are_bound_where_each_has_a_core(self) -> None:
        self.assertEqual(self.words(OPENMPI, False, 1), "start -q -np 5 --bind-to core --own")
        self.assertEqual(self.words(HYDRA, False, 1), "start -n 5 -bind-to core --own")
        self.assertIn("--cpu-bind=cores", self.words(SRUN, False, 1))

    def test_ranks_with_several_threads_are_not_bound(self) -> None:
        for shared in (False, True):
            for kind, words in (
                (OPENMPI, "--bind-to none"),
                (HYDRA, "-bind-to none"),
                (SRUN, "--cpu-bind=none"),
            ):
                said = self.words(kind, shared, 1, bound=False)
                self.assertIn(words, said)
                self.assertNotIn("core", said)
        self.assertIn("--oversubscribe", self.words(OPENMPI, True, 1, bound=False))

    def test_the_threads_of_a_plan_are_counted(self) -> None:
        found = measurements("[pairs]\nprocessors = 4\noptions = --threads 2\n[twoway]", 8)
        for slots, shared in ((8, False), (7, True)):
            here = Allocation("local", slots, 1, "")
            setting = Setting(Path(), Path(), Launcher(OPENMPI, ("mpirun",)), here, {})
            made = [setting.job(one) for one in found if one.occupation in ("", "none")]
            said = [(job.oversubscribed, job.bound) for job in made]
            self.assertEqual(said, [(shared, False), (False, True)])

    def test_placement_is_asked_of_benchmarks_that_take_it(self) -> None:
        found = measurements("[pairs]\nprocessors = 4\n[congest]\nvictims = oneway\naggressors = none", 8)
        setting = Setting(Path(), Path(), Launcher(OPENMPI, ("mpirun",)), Allocation("local", 8, 4, ""), {})
        placed = {one.benchmark: "--placement" in setting.command(one) for one in found}
        self.assertEqual(placed, {"pairs": True, "congest": False})

    def test_a_timeline_is_beside_the_result_and_places_the_ranks(self) -> None:
        one, plain = measurements("[evb]\nprocessors = 4\ntimeline = 8\n[plain]\nbenchmark = evb\nprocessors = 4", 8)
        setting = Setting(Path("run"), Path(), Launcher(OPENMPI, ("mpirun",)), Allocation("local", 8, 4, ""), {})
        words = " ".join(setting.command(one))
        self.assertIn("--timeline run/results/evb.mpi.4.timeline.json --timeline-events 8 --output", words)
        self.assertNotIn("--placement", words)
        self.assertIn("--placement spread --output", " ".join(setting.command(plain)))

    def test_ranks_that_share_cores_are_asked_for(self) -> None:
        self.assertIn("--oversubscribe", self.words(OPENMPI, True, 1))
        self.assertNotIn("bind", self.words(HYDRA, True, 1))
        self.assertIn("--overcommit", self.words(SRUN, True, 1))

    def test_ranks_are_spread_over_hosts(self) -> None:
        self.assertIn("--map-by node", self.words(OPENMPI, False, 2))
        self.assertIn("-ppn 1", self.words(HYDRA, False, 2))
        self.assertIn("--nodes=2 --distribution=cyclic", self.words(SRUN, False, 2))
        self.assertIn("--map-by node", self.words(OPENMPI, False, 2, "cyclic"))

    def test_ranks_fill_hosts_one_after_the_other(self) -> None:
        for placement in ("block", "packed"):
            self.assertIn("--map-by slot", self.words(OPENMPI, False, 4, placement))
            self.assertNotIn("-ppn", self.words(HYDRA, False, 4, placement))
            words = self.words(SRUN, False, 4, placement)
            self.assertIn("--nodes=2 --distribution=block", words)


class Times(unittest.TestCase):
    def test_durations_are_said_in_words(self) -> None:
        said = [duration(seconds) for seconds in (0, 59.4, 60, 200, 7500)]
        self.assertEqual(said, ["0 s", "59 s", "1 min", "3 min 20 s", "2 h 5 min"])

    def test_what_was_measured_corrects_what_is_left(self) -> None:
        stream = io.StringIO()
        progress = Progress(stream, [("free", 10), ("free", 20), ("occupied", 10)])
        self.assertEqual(progress.left_s(), 40)
        progress.begin("a")
        progress.end("free", 10, 20, "4 rows", True)
        self.assertEqual(progress.left_s(), 60)
        self.assertIn("[1/3] a ... 4 rows, 20 s; 1 min left", stream.getvalue())

    def test_one_that_hung_says_nothing_of_the_others(self) -> None:
        progress = Progress(io.StringIO(), [("free", 10), ("free", 10)])
        progress.begin("a")
        progress.end("free", 10, 600, "timed out", False)
        self.assertEqual(progress.left_s(), 10)

    def test_kinds_are_corrected_apart(self) -> None:
        expected = [("free", 10.0), ("free", 10.0), ("occupied", 10.0), ("occupied", 5.0)]
        progress = Progress(io.StringIO(), expected)
        for kind, elapsed_s in (("free", 10), ("occupied", 40)):
            progress.begin(kind)
            progress.end(kind, 10, elapsed_s, "", True)
        self.assertEqual(progress.left_s(), 10 + 20)


class Advances(unittest.TestCase):
    """How far a prediction is."""

    def test_are_a_line_for_each_case_in_a_file(self) -> None:
        stream = io.StringIO()
        advance = Advance(stream, [1.0, 3.0])
        advance.end("funnel", "2.0 s", 3.0)
        advance.end("oneway", "left out: why", 1.0)
        advance.clear()
        said = "[1/2] funnel ... 2.0 s\n[2/2] oneway ... left out: why\n"
        self.assertEqual(stream.getvalue(), said)
        self.assertEqual(advance.left_s(), 0)

    def test_are_one_line_on_a_terminal_which_is_cleared(self) -> None:
        ours, theirs = pty.openpty()
        with open(theirs, "w", encoding="ascii") as stream, open(ours, "rb") as terminal:
            advance = Advance(stream, [1.0, 3.0])
            advance.end("funnel", "2.0 s", 3.0)
            advance.clear()
            said = os.read(terminal.fileno(), 4096).decode("ascii")
            # A terminal may give what was written in parts.
            while not said.endswith(" \r") and select.select([terminal], [], [], 5)[0]:
                said += os.read(terminal.fileno(), 4096).decode("ascii")
        self.assertIn("[1/2] about 0 s left; funnel, 2.0 s", said)
        self.assertNotIn("\n", said)
        self.assertTrue(said.endswith(" \r"))

    def test_take_the_rest_for_as_slow_as_what_is_done(self) -> None:
        now_s = iter((100.0, 102.0))
        with mock.patch("combench.common.progress.time.monotonic", lambda: next(now_s)):
            advance = Advance(io.StringIO(), [1.0, 3.0])
            advance.end("oneway", "2.0 s", 1.0)
            self.assertEqual(advance.left_s(), 6)


class Documentation(unittest.TestCase):
    def test_manual_pages_have_defaults_and_no_words_of_argparse(self) -> None:
        for verb in main.VERBS:
            self.assertNotIn("%(", main.manual_of(verb), verb.name)
        predict = next(verb for verb in main.VERBS if verb.name == "predict")
        self.assertIn("default crossbar", main.manual_of(predict))

    """The documentation lists what exists."""

    def test_every_option_of_a_comparison_stands_in_its_page(self) -> None:
        parser = argparse.ArgumentParser()
        compare.add_arguments(parser)
        text = (TOP / "docs/using/compare.md").read_text(encoding="utf-8")
        for word in re.findall(r"--[a-z-]+", parser.format_help()):
            if word != "--help":
                self.assertRegex(text, rf"{word}(?![\w-])")

    def test_every_key_and_option_stands_in_the_page_and_in_the_manual(self) -> None:
        parser = argparse.ArgumentParser()
        run.add_arguments(parser)
        options = re.findall(r"--[a-z-]+", parser.format_help())
        page = (TOP / "docs/using/running.md").read_text(encoding="utf-8")
        manual = main.manual_of(main.VERBS[0]).replace("\\-", "-").replace("\\fB", " ")
        for text in (page, manual):
            for word in [*plan.KEYS, *options, *plan.shipped()]:
                if word != "--help":
                    self.assertRegex(text, rf"(?<![\w-]){re.escape(word)}(?![\w-])")


if __name__ == "__main__":
    unittest.main()
