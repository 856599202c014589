#!/usr/bin/env python3
"""The content of reports: figures with intervals and marks, lines, bars, tables, the answer, and
files that cannot be used. Fixed results are in tests/suite/report.

UPDATE_GOLDEN=1 updates the golden tables.
"""

from __future__ import annotations

import copy
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from stage import HERE, TOP

from combench.common import catalogue
from combench.common.errors import SuiteError
from combench.common.inference import t_quantile
from combench.report import linkmaps, lists, remarks
from combench.report.answer import answer_of
from combench.report.charts import Axis, Panel, Picture, Point, Series, runs
from combench.report.comparisons import comparisons_of
from combench.report.discussion import POINTS, Matter, points
from combench.report.facts import differences, facts_of
from combench.report.figures import (
    BEYOND,
    Figure,
    figure,
    frequency,
    interval_text,
    marks_of,
    meanings,
    number,
    quantile_interval,
)
from combench.report.fragments import quantiles
from combench.report.gallery import gallery
from combench.report.limits import limit_of
from combench.report.load import Collection, Document, load
from combench.report.predictions import predicted_rows, sentences
from combench.report.rows import Row, Rows, rows_of, usual
from combench.report.states import states_of
from combench.report.tables import as_text, tables_of

FIXTURE = HERE / "report"
GOLDEN = FIXTURE / "tables.txt"


def fixture() -> tuple[Collection, Rows]:
    found = load([FIXTURE])
    return found, rows_of(found.results)


class Figures(unittest.TestCase):
    def test_a_rate_has_the_interval_of_the_time_turned_round(self) -> None:
        row = {"round_us": {"median": 10, "ci95": [8, 20]}, "frequency_Hz": 1000.0}
        found = figure(row, "frequency_Hz")
        self.assertEqual(found, Figure(1000.0, 500.0, 1250.0, ""))

    def test_beside_a_computing_task_the_mean_is_shown_with_its_interval(self) -> None:
        time: Json = {"mean": 20, "median": 10, "ci95": [16, 25]}
        row: Json = {"round_us": time, "frequency_Hz": 1000.0, "occupation": "both"}
        self.assertEqual(figure(row, "time_us"), Figure(20, 16, 25, ""))
        self.assertEqual(figure(row, "frequency_Hz"), Figure(1000.0, 800.0, 1250.0, ""))

    def test_the_mean_of_an_earlier_document_has_no_interval(self) -> None:
        """Up to 0.3 it was `median`, beside the interval of the median."""
        row: Json = {
            "round_us": {"median": 20, "ci95": [8, 11]},
            "frequency_Hz": 1000.0,
            "occupation": "both",
        }
        self.assertEqual(figure(row, "time_us"), Figure(20, None, None, "°"))
        self.assertEqual(figure(row, "frequency_Hz"), Figure(1000.0, None, None, "°"))

    def test_a_figure_without_an_interval_says_so(self) -> None:
        row = {"round_us": {"median": 10}, "frequency_Hz": 1000.0, "congestion_ratio": 2.0}
        for name in ("time_us", "frequency_Hz", "congestion_ratio"):
            found = figure(row, name)
            assert found is not None
            self.assertEqual((found.low, found.marks), (None, "°"), name)

    def test_a_rate_after_losses_has_no_interval_of_a_median(self) -> None:
        row = {"latency_us": {"median": 2, "ci95": [1, 4]}, "frequency_Hz": 100}
        before, after = figure(row, "frequency_Hz"), figure({**row, "rates_from": "totals"}, "frequency_Hz")
        assert before is not None and after is not None
        self.assertEqual((before.low, before.high), (50, 200))
        self.assertEqual((after.value, after.low, after.marks), (100, None, "<°"))

    def test_what_was_not_measured_is_no_figure(self) -> None:
        for name in (
            "frequency_Hz",
            "event_latency_us.p99",
            "slowdown_computing.source",
            "time_us",
        ):
            self.assertIsNone(figure({}, name), name)

    def test_every_mark_of_programs_is_a_mark_of_the_report(self) -> None:
        for mark in catalogue.known().marks:
            value: Any = {"true": True, "above": mark.above + 1, "is": mark.text}.get(mark.when, "other")
            other: Any = {"true": False, "above": mark.above, "is": "other"}.get(mark.when, mark.text)
            with self.subTest(mark.sign):
                self.assertIn(mark.sign, meanings())
                if mark.when == "counted":
                    technology = next(
                        one for one in catalogue.known().technologies.values() if one.counters
                    )
                    counter = next(one for one in technology.counters if one["marked"])
                    group, key = counter["group"], counter["key"]
                    self.assertEqual(marks_of({group: {key: 1}}), mark.sign)
                    self.assertEqual(marks_of({group: {key: 0}}), "")
                elif mark.key == "slowdown_computing_at_least":
                    self.assertEqual(marks_of({mark.key: {"source": True}}), "")  # of one side
                else:
                    self.assertEqual(marks_of({mark.key: value}), mark.sign)
                    if mark.when != "present":
                        self.assertEqual(marks_of({mark.key: other}), "")
                    self.assertEqual(marks_of({}), "")

    def test_signs_of_marks_are_different(self) -> None:
        of_programs = [one.sign for one in catalogue.known().marks]
        self.assertEqual(len(set(of_programs)), len(of_programs))
        self.assertEqual(len(meanings()), len(of_programs) + 7)  # 4 of predictions, 3 of the report

    def test_predictions_have_marks(self) -> None:
        for row, marks in (
            ({"oversubscribed": True, "stopped_by": "max-time"}, "*~"),
            ({"rates_from": "totals", "stopped_by": "max-time"}, "<~"),
            ({"rates_from": "totals", "datagrams": {"lost": 2}}, "&<"),
            ({"datagrams": {"lost": 0}}, ""),
            ({"source": "model", "outside": ["size"], "incast": {"bytes": 1}}, "mxi"),
            ({"source": "model", "outside": [], "incast": {"dropped_pct": 1}}, "ml"),
            ({"source": "model", "outside": [], "incast": {"dropped_pct": 0}}, "m"),
            ({"source": "model", "outside": []}, "m"),
        ):
            self.assertEqual(marks_of(row), marks, row)

    def test_a_bound_is_marked_on_its_side_alone(self) -> None:
        row: dict[str, Any] = {
            "slowdown_computing": {"source": 3.0, "destination": 2.0},
            "slowdown_computing_at_least": {"source": True},
        }
        found = [figure(row, f"slowdown_computing.{side}") for side in ("source", "destination")]
        self.assertEqual([one.marks for one in found if one], [">°", "°"])

    def test_a_quantile_has_the_interval_of_order_statistics(self) -> None:
        histogram = {"bounds": list(range(0, 1001)), "counts": [1] * 1000}
        interval = quantile_interval(histogram, 0.5)
        assert interval is not None
        self.assertEqual(interval, (469, 531))
        self.assertIsNone(quantile_interval({"bounds": [0, 1], "counts": [1]}, 0.99))

    def test_numbers_have_three_digits(self) -> None:
        for value, text in (
            (0, "0"),
            (0.01234, "0.0123"),
            (1.5, "1.50"),
            (99.95, "100.0"),
            (123456.7, "123457"),
        ):
            self.assertIn(number(value), (text, text.rstrip("0").rstrip(".")), value)
        self.assertEqual(frequency(2.5e6), "2.50 MHz")
        self.assertEqual(interval_text(Figure(2.5e6, 2.4e6, 2.6e6, ""), frequency), "[2.40, 2.60]")


def _points(*xs: int, unsteady: int = 0) -> tuple[Point, ...]:
    return tuple(Point(x, Figure(1.0, None, None, ""), x != unsteady) for x in xs)


class Lines(unittest.TestCase):
    def test_no_line_goes_over_what_was_not_measured(self) -> None:
        found = runs(Series("", _points(4, 8, 16, 32)), [4, 8, 12, 16, 32])
        self.assertEqual([[point.x for point in run] for run in found], [[4, 8], [16, 32]])

    def test_no_line_goes_through_an_unsteady_point(self) -> None:
        found = runs(Series("", _points(1, 2, 3, 4, 5, unsteady=3)), [1, 2, 3, 4, 5])
        self.assertEqual([[point.x for point in run] for run in found], [[1, 2], [4, 5]])

    def test_no_line_mixes_kinds_of_measurement(self) -> None:
        _, rows = fixture()
        for picture in gallery(rows.kept):
            for panel in picture.panels:
                for line in panel.series:
                    xs = [point.x for point in line.points]
                    self.assertEqual(len(xs), len(set(xs)), (picture.name, panel.title, line.label))

    def test_lines_are_of_one_sending_thread_where_that_was_measured(self) -> None:
        _, rows = fixture()
        one = next(row for row in rows.kept if row.get("occupation") == "none")
        several = replace(one, data={**one.data, "threads": 2})
        self.assertEqual(usual([several, one]), [one])
        self.assertEqual(usual([several]), [several])
        lines = [line.heads for line in tables_of([one, several])[0].lines]
        self.assertTrue(any("2 sending threads" in head for heads in lines for head in heads))

    def test_bars_show_pictures_whose_lines_would_have_one_point(self) -> None:
        axis = Axis("destinations", "count")
        lines = tuple(Series(str(size), _points(4)) for size in (64, 256))

        def picture(x: Axis, *series: Series) -> Picture:
            return Picture("", "", "", "", x, Axis("frequency, Hz", "log"), (Panel("", series),))

        self.assertTrue(picture(axis, *lines).is_bars)
        self.assertEqual(picture(axis, *lines).single_x, "4 destinations")
        self.assertFalse(picture(axis, *lines, Series("0", _points(4, 8))).is_bars)
        self.assertTrue(picture(Axis("list", "category"), Series("0", _points(4, 8))).is_bars)

    def test_pictures_are_of_all_that_the_fixture_has(self) -> None:
        found, rows = fixture()
        names = [picture.name for picture in gallery(rows.kept, predicted_rows(found.predictions))]
        for name in (
            "load-pushfarm",
            "distribution-pushfarm",
            "frequency-alltoall",
            "frequency-funnel",
            "frequency-pushfarm",
            "frequency-pipeline",
            "latency",
            "throughput",
            "shortfall-funnel",
            "congestion-alltoall",
            "slowdown-communication-mpi",
            "slowdown-computing-mpi",
            "predicted-funnel",
        ):
            self.assertIn(name, names)

    def test_saturated_rates_are_no_part_of_a_line(self) -> None:
        _, rows = fixture()
        load_curve = next(one for one in gallery(rows.kept) if one.name == "load-pushfarm")
        points = [point for line in load_curve.panels[0].series for point in line.points]
        self.assertTrue(any(not point.joined for point in points))
        for point in points:
            self.assertEqual(point.joined, not set(point.figure.marks) & set("!?"))


class Tables(unittest.TestCase):
    maxDiff = None

    def test_the_tables_of_the_note(self) -> None:
        found, rows = fixture()
        tables = [*tables_of(rows.kept, states_of(found).reasons), *comparisons_of(rows.kept)]
        text = "\n".join(map(as_text, tables))
        if os.environ.get("UPDATE_GOLDEN"):
            GOLDEN.write_text(text, encoding="utf-8")
        self.assertMultiLineEqual(text, GOLDEN.read_text(encoding="utf-8"))

    def test_a_reason_is_that_of_the_same_settings(self) -> None:
        found, _ = fixture()
        first = next(one for one in found.results if one.path.name == "pushfarm.json")
        again = copy.deepcopy(first.data)
        again["parameters"].update(config="note", parameter="port=1,wait=0")
        rows = rows_of([first, Document(Path("again.json"), again)]).kept
        plain = first.data["technology"]
        note = f"{plain} (note, port=1,wait=0)"
        left_out = next(
            one for one in found.runs[0].data["measurements"] if one["name"] == "pushfarm.mpi.6x6"
        )
        for options, name in (
            ([], plain),
            (["--config", "note", "--parameter=port=1,wait=0"], note),
        ):
            left_out["options"] = options
            lines = tables_of(rows, states_of(found).reasons)[0].lines
            missing = {
                (line.heads[0].rpartition(", algorithm")[0], "13 ranks" in line.reason)
                for line in lines
                if "6 to 6" in line.heads[1]
            }
            self.assertEqual(missing, {(one, one == name) for one in (plain, note)})


class Answers(unittest.TestCase):
    def test_the_fastest_farm_and_what_limits_it(self) -> None:
        _, rows = fixture()
        tasks = answer_of(rows.kept).tasks
        self.assertEqual([task.algorithm_us for task in tasks], [0, 50, 500])
        for task in tasks:
            rates = [task.best.rate.value, *(other.rate.value for other in task.others)]
            self.assertEqual(rates, sorted(rates, reverse=True))
            self.assertTrue(task.limit)

    def test_a_rate_that_processors_cannot_compute_is_marked_and_not_the_answer(self) -> None:
        found, _ = fixture()
        document = next(one for one in found.results if one.path.name == "pushfarm.json")
        row = next(row for row in document.data["results"] if row["algorithm_us"] == 50)
        row["frequency_Hz"] = 1e6
        rows = rows_of(found.results)
        answer = answer_of(rows.kept)
        self.assertTrue(answer.beyond)
        marked = [row for row in rows.kept if row.get("frequency_Hz") == 1e6]
        known = marked[0].figure("frequency_Hz")
        assert known is not None
        self.assertIn(BEYOND, known.marks)
        self.assertTrue(all(task.best.rate.value < 1e6 for task in answer.tasks))

    def test_a_required_rate_is_reached_or_not(self) -> None:
        _, rows = fixture()
        verdicts = [
            answer_of(rows.kept, rate_hz).tasks[0].verdict for rate_hz in (10.0, 185e3, 1e9)
        ]
        for verdict, words in zip(
            verdicts, ("reached: ", "reached only in a closed", "not reached")
        ):
            self.assertTrue(verdict.startswith(words), verdict)

    def test_rates_above_one_that_was_not_carried_are_not_held(self) -> None:
        found, _ = fixture()
        document = next(one for one in found.results if one.path.name == "load.json")
        offered = [row for row in document.data["results"] if row["mode"] == "open"]
        offered[1].update(saturated=True)
        tasks = answer_of(rows_of(found.results).kept, offered[1]["offered_Hz"]).tasks
        said = next(words for words in tasks[0].under_load if "sustained" in words)
        self.assertIn(f"all offered rates up to {frequency(offered[0]['offered_Hz'])}", said)
        self.assertIn("but not all rates below", said)
        self.assertNotIn("sustained", tasks[0].verdict)

    def test_the_answer_takes_all_of_repeated_measurements(self) -> None:
        found, _ = fixture()
        documents = [one for one in found.results if one.path.name == "pushfarm.json"]
        for turn, factor in enumerate((1.3, 0.9, 1.2), 1):
            again = copy.deepcopy(documents[0].data)
            again["started"] = f"2026-11-22T0{turn}:00:00Z"
            for one in again["results"]:
                one["in_flight_limit"] = 4 * turn
                one["frequency_Hz"] *= factor
            documents.append(Document(Path(f"{turn}.json"), again))
        rows = rows_of(documents).kept
        best = next(task for task in answer_of(rows).tasks if task.algorithm_us == 50).best
        rates = [one.get("frequency_Hz") for one in best.measured]
        self.assertEqual(len(rates), 4)
        self.assertAlmostEqual(best.rate.value, statistics.geometric_mean(rates))
        assert best.rate.low is not None and best.rate.high is not None
        reach = t_quantile(3) * statistics.stdev(map(math.log, rates)) / 2
        self.assertAlmostEqual(best.rate.high, best.rate.value * math.exp(reach))
        self.assertAlmostEqual(best.rate.low, best.rate.value / math.exp(reach))
        self.assertIn("mean of 4 launches: 3.97 kHz to 5.74 kHz", best.repeated)
        self.assertIn("4 or 8 or 12 events in flight", best.repeated)

    def launched(self, factors: tuple[float, ...]) -> list[Row]:
        """Rows of a latency in several launches, which differ by these factors."""
        found, _ = fixture()
        first = next(one for one in found.results if one.path.name == "oneway.json")
        documents = []
        for turn, factor in enumerate(factors, 1):
            again = copy.deepcopy(first.data)
            again["started"] = f"2026-11-22T0{turn}:00:00Z"
            timed = [one for one in again["results"] if "ci95" in one.get("latency_us", {})]
            for time in (one["latency_us"] for one in timed):
                time.update({key: factor * time[key] for key in ("median", "min", "max")})
                time["ci95"] = [factor * end for end in time["ci95"]]
            again["results"] = timed
            documents.append(Document(Path(f"{turn}.json"), again))
        return rows_of(documents).kept

    def test_the_interval_of_several_launches_has_their_variation(self) -> None:
        factors = (1.0, 1.2, 1.1)
        row = self.launched(factors)[0]
        known, own = row.figure("time_us"), row.own_figure("time_us")
        assert known is not None and own is not None and known.low is not None
        mean = statistics.geometric_mean(factors)
        self.assertAlmostEqual(known.value, own.value / factors[-1] * mean)
        reach = t_quantile(2) * statistics.stdev(map(math.log, factors)) / math.sqrt(3)
        self.assertLessEqual(known.low, known.value / math.exp(reach) * 1.0001)

    def test_two_modes_of_launches_are_marked_and_listed(self) -> None:
        rows = self.launched((1.0, 1.5, 1.0, 1.5, 1.0, 1.5))
        known = rows[0].figure("time_us")
        assert known is not None
        self.assertIn("b", known.marks)
        matter = Matter((), Rows(rows, [], {}), (), ())
        measuring = next(one for one in points(matter, {}) if one.key == "measuring")
        said = " ".join(measuring.sentences)
        self.assertIn("had 6 launches", said)
        self.assertRegex(said, r"Bimodal figures .* in 3 launches and [0-9.]+ in 3 launches")

    def test_variants_stand_beside_each_other(self) -> None:
        found, _ = fixture()
        first = next(one for one in found.results if one.path.name == "oneway.json")
        documents = [replace(first, variant=name) for name in ("plain", "tuned")]
        technologies = {row.technology for row in rows_of(documents).kept}
        self.assertEqual(technologies, {"mpi [plain]", "mpi [tuned]"})

    def test_settings_of_a_technology_that_differ_are_named_with_it(self) -> None:
        found, _ = fixture()
        first = next(one for one in found.results if one.path.name == "oneway.json")
        again = copy.deepcopy(first.data)
        again["parameters"].update(config="note", parameter="max_outst_buffers=4")
        name = first.data["technology"]
        rows = rows_of([first, Document(Path("again.json"), again)])
        self.assertEqual(
            {row.get("technology") for row in rows.kept},
            {name, f"{name} (note, max_outst_buffers=4)"},
        )
        self.assertEqual(rows.repeats, [])
        alone = rows_of([Document(Path("again.json"), again)]).kept
        self.assertEqual({row.get("technology") for row in alone}, {name})

    def test_options_that_rows_do_not_have_are_named_where_they_differ(self) -> None:
        found, _ = fixture()
        first = next(one for one in found.results if one.path.name == "oneway.json")
        other, longer = copy.deepcopy(first.data), copy.deepcopy(first.data)
        other["parameters"].update(in_flight=8)
        longer["parameters"].update(max_time_s=99, precision_pct=0.5, seed=7)
        name = first.data["technology"]
        rows = rows_of([first, Document(Path("other.json"), other)])
        self.assertEqual(
            {row.get("technology") for row in rows.kept}, {name, f"{name} (in_flight=8)"}
        )
        self.assertEqual(rows.repeats, [])
        rows = rows_of([first, Document(Path("longer.json"), longer)])
        self.assertEqual({row.get("technology") for row in rows.kept}, {name})
        self.assertEqual(len(rows.repeats), len(rows.kept))

    def test_a_trial_that_did_not_hold_does_not_mark_the_rate_that_did(self) -> None:
        found, _ = fixture()
        document = next(one for one in found.results if one.path.name == "search.json")
        search = next(row for row in document.data["results"] if "found_Hz" in row)
        search.update(saturated=True, limited_by="farm")
        search["found_Hz"].update(held=3)
        task = next(task for task in answer_of(rows_of([document]).kept).tasks)
        said = next(words for words in task.under_load if "p99" in words)
        self.assertIn("reached in 3 of 5 trials", said)
        self.assertNotIn("!", said)

    def test_a_reason_that_many_programs_have_is_listed_once(self) -> None:
        found, _ = fixture()
        reason = {"what": "fit", "reason": "use --sweep"}
        documents = [
            Document(one.path, {**one.data, "skipped": [reason]}) for one in found.results
        ]
        missing = states_of(Collection(results=documents)).missing
        self.assertEqual([one.reason for one in missing], ["use --sweep"])
        self.assertIn("1.3 all-to-all, ", missing[0].what)

    def test_without_farms_there_is_no_answer_and_it_is_said(self) -> None:
        _, rows = fixture()
        basic = [row for row in rows.kept if row.get("benchmark") == "oneway"]
        answer = answer_of(basic)
        self.assertEqual(answer.tasks, ())
        self.assertIn("No trigger farm", answer.missing)

    def test_predictions_stand_with_their_error(self) -> None:
        found, _ = fixture()
        said = " ".join(sentences(predicted_rows(found.predictions)))
        self.assertIn("error of the time 12.5 %", said)
        self.assertIn("error is unknown", said)

    def test_a_validation_says_how_far_the_model_was_off(self) -> None:
        found, _ = fixture()
        worst = {"benchmark": "funnel", "what": "8 sources"}
        summary = {"rows": 9, "median_error_pct": 6, "worst_error_pct": 31.4, "worst": worst}
        document = Document(Path("v.json"), {"technology": "mpi", "summary": summary})
        said = " ".join(sentences(predicted_rows(found.predictions), [document]))
        self.assertIn("9 measurements that the calibration did not use", said)
        self.assertIn("at most 31.4 % (1.7 funnel, 8 sources)", said)

    def test_what_was_not_measured_is_called_so(self) -> None:
        found, rows = fixture()
        matter = Matter(found.results, rows, facts_of(found.results), ())
        said = {point.key: " ".join(point.sentences) for point in points(matter, {})}
        self.assertIn("Not measured", said["caching"])
        self.assertIn("no prediction", said["scaling"])

    def test_the_measuring_method_tells_how_a_closed_loop_differs_from_the_note(self) -> None:
        found, rows = fixture()
        for kept in (rows.kept, [row for row in rows.kept if row.get("sources") is None]):
            matter = Matter(found.results, replace(rows, kept=kept), facts_of(found.results), ())
            said = {point.key: " ".join(point.sentences) for point in points(matter, {})}
            farms = any(row.get("in_flight_limit") is not None for row in kept)
            self.assertEqual("no action ensues in the supervisor" in said["measuring"], farms)


def _row(benchmark: str, **values: Any) -> Row:
    """Of a machine that has a core for each process."""
    head = {
        "benchmark": benchmark,
        "technology": "mpi",
        "environment": {"hosts": [{"name": "node1", "cores": 64}]},
    }
    usual = {"size_bytes": 1024, "occupation": "none", "oversubscribed": False}
    return Row({**usual, **values}, Document(Path("one.json"), head), "", str(head["technology"]))


class Lists(unittest.TestCase):
    """What the report says of changing lists follows from each row's number of candidates."""

    @staticmethod
    def row(kind: str, destinations: int, time_us: float, **values: Any) -> Row:
        head = {"list": kind, "multicast": "loop", "mode": "stream", "destinations": destinations}
        return _row("multicast", **head, round_us={"median": time_us}, **values)

    def test_members_change_only_among_more_candidates(self) -> None:
        rows = [
            self.row("fixed", 4, 1, candidates=4),
            self.row("rotate", 4, 1, candidates=8),
            self.row("random", 6, 1, candidates=8),
            self.row("new", 8, 1, candidates=8),
        ]
        said = lists.membership(rows)
        self.assertIn("Members change in lists of 4 of 8, 6 of 8 destinations.", said)
        self.assertIn("Only the order changes in lists of 8 of 8", said)
        self.assertEqual(lists.membership(rows[:1]), "")
        self.assertNotIn("Members change", lists.membership(rows[3:]))
        self.assertNotIn("Only the order", lists.membership(rows[:3]))

    def test_older_rows_have_all_but_the_source_as_candidates(self) -> None:
        self.assertEqual(lists.candidates(self.row("rotate", 4, 1, processors=9)), 8)
        self.assertIsNone(lists.candidates(_row("outfarm", processors=9)))

    def test_the_cost_is_relative_to_the_fixed_list_of_equal_conditions(self) -> None:
        rows = [
            self.row("fixed", 4, 2, candidates=4, size_bytes=0),
            self.row("fixed", 4, 4, candidates=4),
            self.row("fixed", 2, 100, candidates=2),
            self.row("rotate", 4, 3, candidates=8, size_bytes=0, group_create_us=7, group_free_us=5),
            self.row("rotate", 4, 8, candidates=8, group_create_us=9, group_free_us=5),
            self.row("new", 4, 60, candidates=8),
        ]
        said = " ".join(lists.cost(rows))
        self.assertIn("over mpi by a loop, stream, 4 of 8 destinations", said)
        self.assertIn("rotate 1.75 (1.50 to 2.00), new 15.0 times the time of the fixed list", said)
        self.assertIn("a group is made in 8.00 us and freed in 5.00 us", said)
        self.assertNotIn("2 of", said)

    def test_nothing_is_said_where_no_list_changed(self) -> None:
        self.assertEqual(lists.cost([self.row("fixed", 4, 2, candidates=4)]), [])
        found, rows = fixture()
        matter = Matter(found.results, rows, facts_of(found.results), ())
        self.assertNotIn("lists", {point.key for point in points(matter, {})})
        self.assertIn("lists", {point.key for point in points(matter, {"lists": "Mine."})})

    def test_the_page_on_reports_names_the_file_of_each_point(self) -> None:
        page = (TOP / "docs" / "using" / "report.md").read_text(encoding="utf-8")
        self.assertEqual([key for key in POINTS if f"`{key}.md`" not in page], [])


class Limits(unittest.TestCase):
    def farm(self, rate_hz: float, work_us: float = 0) -> Row:
        return _row(
            "pushfarm",
            mode="closed",
            sources=4,
            destinations=2,
            processors=7,
            algorithm_us=work_us,
            frequency_Hz=rate_hz,
        )

    def test_the_algorithms_limit_a_farm_that_computes_as_fast_as_it_can(self) -> None:
        said = limit_of(self.farm(9.5e3, work_us=50), [])
        self.assertTrue(said.startswith("work on packets, with a core per process: "), said)
        self.assertIn("reaches 95.0 % of 10.0 kHz", said)

    def test_taking_in_limits_a_farm_that_is_as_fast_as_its_funnels(self) -> None:
        funnel = _row("funnel", mode="event", sources=4, frequency_Hz=1e5)
        said = limit_of(self.farm(1.9e5), [funnel])
        self.assertTrue(said.startswith("what the destinations can receive (1.7): "), said)
        self.assertIn("reaches 95.0 % of 200 kHz", said)

    def test_a_funnel_on_shared_cores_is_no_bound(self) -> None:
        funnel = _row("funnel", mode="event", sources=4, frequency_Hz=1e5, oversubscribed=True)
        self.assertIn("no bound was measured", limit_of(self.farm(1.9e5), [funnel]))

    def test_where_no_bound_is_near_none_is_called_the_limit(self) -> None:
        stream = _row("oneway", mode="stream", frequency_Hz=1e6)
        said = limit_of(self.farm(1e5), [stream])
        self.assertTrue(said.startswith("not found: the nearest bound is what a source"), said)

    def test_the_limit_of_saturated_open_loops_is_reported(self) -> None:
        loop = _row(
            "pushfarm",
            mode="open",
            sources=4,
            destinations=2,
            algorithm_us=0,
            saturated=True,
            limited_by="supervisor",
        )
        self.assertIn("open loops: supervisor", limit_of(self.farm(1e5), [loop]))


class EventBuilding(unittest.TestCase):
    """Rows of cb_evb, which schedules, arrivals and fragments distinguish."""

    @staticmethod
    def row(schedule: str, frequency_hz: float, **values: Any) -> Row:
        common = {"processors": 8, "size_bytes": 65536, "folding": "one", "pack": 1, "mode": "closed"}
        return _row("evb", **{**common, "schedule": schedule, "frequency_Hz": frequency_hz, **values})

    def loaded(self, schedule: str, offered_hz: float, **values: Any) -> Row:
        latency = {"p50": 10.0, "p99": 30.0}
        more = {"mode": "open", "offered_Hz": offered_hz, "event_latency_us": latency, **values}
        return self.row(schedule, offered_hz, **{"arrivals": "poisson", **more})

    def test_rates_under_load_are_of_one_schedule_and_arrival_pattern(self) -> None:
        rows = [self.row("shift", 1000.0), self.row("none", 400.0)]
        for arrivals in ("periodic", "poisson"):
            rows += [self.loaded("shift", rate, arrivals=arrivals) for rate in (200.0, 800.0)]
        rows.append(self.loaded("none", 300.0, saturated=True))
        task = answer_of(rows).tasks[0]
        self.assertEqual(task.best.row.get("schedule"), "shift")
        self.assertEqual(len(task.under_load), 3)
        for words in task.under_load:
            expected = "did not sustain the lowest" if ", none" in words else "rates up to 800 Hz"
            self.assertIn(expected, words)

    def test_limits_of_other_schedules_under_load_are_not_those_of_this(self) -> None:
        shift, saturated = self.row("shift", 1000.0), {"saturated": True, "limited_by": "farm"}
        self.assertNotIn("saturated", limit_of(shift, [shift, self.loaded("none", 300.0, **saturated)]))
        self.assertIn("saturated", limit_of(shift, [shift, self.loaded("shift", 300.0, **saturated)]))

    def test_pairs_that_are_slower_than_the_builders_are_no_limit(self) -> None:
        row = self.row("shift", 1000.0, folding="two")
        pairs = _row("pairs", mode="stream", processors=8, size_bytes=65536, frequency_Hz=900.0)
        said = limit_of(row, [row, pairs])
        self.assertIn("unknown: the schedule is faster", said)
        self.assertIn("is no limit here", said)
        self.assertNotIn("%", said)

    def test_pairs_that_are_as_fast_as_the_builders_limit_them(self) -> None:
        row = self.row("shift", 1000.0, folding="two")
        pairs = _row("pairs", mode="stream", processors=8, size_bytes=65536, frequency_Hz=4200.0)
        self.assertIn("reaches 95.2 % of", limit_of(row, [row, pairs]))

    def test_load_curves_have_a_panel_for_each_arrival_pattern(self) -> None:
        rows = [self.row("shift", 1000.0), self.row("none", 400.0)]
        for arrivals in ("periodic", "poisson"):
            rows += [self.loaded("shift", rate, arrivals=arrivals) for rate in (200.0, 800.0)]
        curve = next(one for one in gallery(rows) if one.name == "load-evb")
        self.assertEqual([panel.title for panel in curve.panels], ["periodic", "poisson"])
        for panel in curve.panels:
            self.assertEqual([x for x, _ in panel.limits], [1000.0])

    def test_throughput_per_node_has_a_line_for_each_schedule(self) -> None:
        rows = [
            self.row(schedule, 10.0, processors=nodes, per_node_MBps=100.0 / nodes)
            for schedule in ("shift", "none")
            for nodes in (4, 8)
        ]
        rows.append(self.row("shift", 10.0, fragments="gamma:60KiB,2", per_node_MBps=1.0))
        picture = next(one for one in gallery(rows) if one.name == "per-node-evb")
        self.assertEqual([line.label for line in picture.lines], ["shift", "none"])
        for line in picture.lines:
            self.assertEqual([(one.x, one.figure.value) for one in line.points], [(4, 25.0), (8, 12.5)])

    def test_fragments_are_drawn_as_their_distribution_with_what_arrived(self) -> None:
        arrived = {"fragment_mean_bytes": 59000.0, "fragment_largest_bytes": 200000.0}
        laws = ("lognormal:56KiB,0.5", "gamma:60KiB,2", "file:sizes.txt")
        rows = [self.row("shift", 10.0, fragments=law, **arrived) for law in laws]
        picture = next(one for one in gallery(rows) if one.name == "fragments")
        self.assertEqual([line.label for line in picture.lines], list(laws[:2]))
        self.assertIn("lognormal:56KiB,0.5: mean 59000, largest 200000 bytes", picture.caption)
        self.assertNotIn("fragments", [one.name for one in gallery([self.row("shift", 10.0)])])

    def test_quantiles_of_fragments_are_those_of_their_laws(self) -> None:
        for law, share_pct, size in (
            ("lognormal:1KiB,0.5", 50, 1024),
            ("lognormal:1KiB,0.5", 84.13, 1024 * math.exp(0.5)),
            ("gamma:1000,1", 50, 1000 * math.log(2)),
            ("gamma:1000,1", 90, 1000 * math.log(10)),
            ("uniform:100-300", 25, 150),
            ("fixed:100+fixed:300", 40, 100),
            ("fixed:100+fixed:300", 60, 300),
        ):
            found = quantiles(law, [share_pct])
            assert found is not None
            self.assertAlmostEqual(found[0] / size, 1, delta=0.005, msg=law)
        self.assertIsNone(quantiles("file:sizes.txt", [50]))


class Words(unittest.TestCase):
    def test_thousands_of_headings_are_one_after_the_other(self) -> None:
        made = remarks.as_html("# a\n" * 3000 + "text\n# no heading\n")
        self.assertEqual(made.count("<h4>a</h4>"), 3000)
        self.assertTrue(made.endswith("<p>text # no heading</p>"))

    def test_words_of_the_user_cannot_be_markup(self) -> None:
        made = remarks.as_html("# A & B\n\n- `x<y`\n- <img src=x>\n\n```\n<b>\n```\n")
        self.assertEqual(
            made,
            "<h4>A &amp; B</h4>\n<ul><li><code>x&lt;y</code></li><li>&lt;img src=x&gt;</li></ul>\n"
            "<pre>&lt;b&gt;</pre>",
        )


class LinkMaps(unittest.TestCase):
    """The picture of a link map, and its faults in words."""

    def picture_of(self, **more: Any) -> Picture:
        document = copy.deepcopy(load([HERE / "report" / "alltoall.json"]).results[0])
        row = document.data["results"][0]
        matrix = [[None, 2.0], [4.0, None]]
        row["linkmap"] = {
            "cycles": 8,
            "packets": 4,
            "faults": 0,
            "hosts": [{"name": "host1", "rank": 0}, {"name": "host2", "rank": 1}],
            "latency_us": matrix,
            "one_way_MBps": matrix,
            "stalls": [[None, 0], [0, None]],
        }
        row.update(more)
        document.data["results"] = [row]
        (found,) = linkmaps.pictures(rows_of([document]).kept, "Links between hosts")
        return found

    def test_matrices_without_values_are_left_out(self) -> None:
        titles = [one.title for one in self.picture_of().maps]
        self.assertEqual(titles, ["throughput one way, MB/s", "latency, us"])

    def test_a_picture_has_a_map_for_each_matrix(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"MPLCONFIGDIR": folder}):
            from combench.report.draw import sheet_of

            drawn = [axes.get_title(loc="left") for axes in sheet_of(self.picture_of()).axes if axes.images]
        self.assertEqual(drawn, [one.title for one in self.picture_of().maps])

    def test_faults_are_in_the_caption(self) -> None:
        self.assertIn("no link differs", self.picture_of().caption)
        faults = [
            {"kind": "slow", "host": "host1", "direction": "out", "figure": "one way", "factor": 9.8},
            {"kind": "lossy", "host": "host1", "peer": "host2", "direction": "both", "stalls": 5, "samples": 40},
        ]
        caption = self.picture_of(link_faults=faults).caption
        self.assertIn("host1 is slow outwards (9.80 times the expected time, one way)", caption)
        self.assertIn("host1 to host2 is lossy in both directions (5 of 40 samples stalled)", caption)


class Folder(unittest.TestCase):
    """A folder with some of the fixed results."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-report-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def put(self, name: str, change: Any = None, to: str = "") -> None:
        document = json.loads((FIXTURE / name).read_text(encoding="utf-8"))
        changed = copy.deepcopy(document)
        if change is not None:
            change(changed)
        (self.folder / (to or name)).write_text(json.dumps(changed), encoding="utf-8")

    def refusal(self, *paths: Path) -> str:
        with self.assertRaises(SuiteError) as raised:
            load(paths or [self.folder])
        return str(raised.exception)

    def test_a_result_that_is_cut_off_is_named_and_the_others_are_read(self) -> None:
        self.put("oneway.json")
        (self.folder / "funnel.json").write_text('{"schema": "combench-res', encoding="utf-8")
        found = load([self.folder])
        self.assertEqual([one.path.name for one in found.results], ["oneway.json"])
        self.assertRegex(found.problems[0], r"funnel\.json: line 1 column 12: it is cut off")

    def test_a_result_of_a_newer_schema_is_named_and_the_others_are_read(self) -> None:
        self.put("oneway.json")
        self.put("funnel.json", lambda one: one.update(schema="combench-result/2"))
        found = load([self.folder])
        self.assertEqual(len(found.results), 1)
        self.assertIn("combench-result/2", found.problems[0])

    def test_a_result_that_lacks_what_it_is_of_is_named(self) -> None:
        self.put("oneway.json")
        self.put("funnel.json", lambda one: one["results"][0].pop("size_bytes"))
        problem = load([self.folder]).problems[0]
        self.assertRegex(problem, r"funnel\.json: results\[0\]\.size_bytes: it is missing")

    def test_a_folder_without_results_is_refused(self) -> None:
        self.assertIn("there is no result document", self.refusal())

    def test_a_path_that_is_not_there_is_refused(self) -> None:
        self.assertIn("does not exist", self.refusal(self.folder / "none"))

    def test_a_single_document_will_do(self) -> None:
        self.assertEqual(len(load([FIXTURE / "oneway.json"]).results), 1)

    def test_two_machines_are_distinguished(self) -> None:
        def elsewhere(document: dict[str, Any]) -> None:
            document["environment"]["hosts"][0].update(name="node9", cpu="Other", cores=64)

        self.put("oneway.json")
        self.put("oneway.json", elsewhere, to="elsewhere.json")
        found = load([self.folder])
        rows = rows_of(found.results)
        self.assertEqual(sorted(rows.machines.values()), ["machine A", "machine B"])
        self.assertEqual(len(rows.repeats), 0)
        said = " ".join(differences(facts_of(found.results)))
        self.assertIn("Other", said)
        latency = next(one for one in gallery(rows.kept) if one.name == "latency")
        self.assertEqual(len(latency.panels[0].series), 2)

    def test_copies_are_one_launch(self) -> None:
        self.put("oneway.json")
        self.put("oneway.json", to="copy.json")
        found = load([self.folder])
        self.assertEqual(len(found.results), 1)
        self.assertEqual(rows_of(found.results).repeats, [])
        self.assertRegex(found.problems[0], r"oneway.json is a copy of .*copy.json")

    def test_equal_machines_that_are_not_the_same_are_named(self) -> None:
        def elsewhere(document: dict[str, Any]) -> None:
            document["environment"]["hosts"][0].update(name="node9")

        self.put("oneway.json")
        self.put("funnel.json", elsewhere)
        said = " ".join(differences(facts_of(load([self.folder]).results)))
        self.assertIn("on node1, others on node9", said)

    def test_hosts_of_one_name_are_counted(self) -> None:
        def cloned(document: dict[str, Any]) -> None:
            document["environment"]["hosts"] = [{"name": "clone"}, {"name": "clone"}, {"name": "other"}]

        self.put("oneway.json", cloned)
        facts = {fact.name: fact.values for fact in facts_of(load([self.folder]).results)}
        self.assertEqual(facts["hosts"], (("clone (2 hosts), other", 1),))

    def test_of_repeated_measurements_the_latest_is_kept(self) -> None:
        def later(document: dict[str, Any]) -> None:
            document["started"] = "2030-01-01T00:00:00Z"

        self.put("oneway.json", later, to="a-later.json")
        self.put("oneway.json")
        rows = rows_of(load([self.folder]).results)
        self.assertEqual(len(rows.repeats), len(rows.kept))
        self.assertTrue(all(row.get("started").startswith("2030") for row in rows.kept))

    def test_a_missing_module_is_named_with_its_package(self) -> None:
        self.put("oneway.json")
        command = [sys.executable, "-I", "-S", str(TOP / "scripts" / "combench"), "report"]
        ended = subprocess.run(
            [*command, str(self.folder)], stderr=subprocess.PIPE, text=True, timeout=60
        )
        self.assertEqual(ended.returncode, 1)
        self.assertIn("python3-matplotlib", ended.stderr)
        self.assertFalse((self.folder / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
