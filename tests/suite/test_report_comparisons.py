#!/usr/bin/env python3
"""Tables of a report that set measurements side by side, with figures computed by hand: technologies,
farms that push and pull, benchmarks of the note and of Parkbench, closed and open loops, wait policies beside a
computing task; and what the discussion says of caching and bare results."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any, Optional

from documents import Json, document, drawn, row

from combench.common import catalogue
from combench.report.comparisons import farms_beside, parkbench_beside, technologies_beside
from combench.report.discussion import Matter, points
from combench.report.gallery import gallery
from combench.report.load import Document
from combench.report.rows import Row, rows_of
from combench.report.tables import Reasons, Table, as_text, tables_of

FARMS = [one for one in catalogue.known().benchmarks.values() if one.count.is_farm]


def kept(*documents: Json) -> list[Row]:
    return rows_of([Document(Path(f"{i}.json"), one) for i, one in enumerate(documents)]).kept


def farm_row(rate_hz: float, size: int, mode: str = "closed", **more: Any) -> Json:
    made = row(drawn(1, 1e6 / rate_hz), size, "round_us", mode=mode, **more)
    shape = {"sources": 4, "destinations": 1, "processors": 6, "algorithm_us": 0}
    return {**made, "frequency_Hz": rate_hz, **shape, **more}


def cells(table: Table, *heads: str) -> list[Optional[str]]:
    """The values of the only line whose heads end with these words."""
    found = [line for line in table.lines if line.heads[-len(heads) :] == heads]
    assert len(found) == 1, as_text(table)
    return [cell.value if cell else None for cell in found[0].cells]


COUNTED = next(one for one in catalogue.known().technologies.values() if one.counters)
GROUP, COUNTER = (COUNTED.counters[0][key] for key in ("group", "key"))


def over(technology: str, us: float, method: str = "", **counters: int) -> Json:
    """One way between two ranks, 64 bytes, over a technology with a method."""
    settings = {"parameter": f"method={method}"} if method else {}
    counted = {GROUP: counters} if counters else {}
    made = document([row([us] * 7, 64, **counted)], parameters={"max_time_s": 1, "wait": "auto", **settings})
    return {**made, "technology": technology}


class Technologies(unittest.TestCase):
    def test_have_a_line_each_and_one_for_each_way_of_moving_data(self) -> None:
        made = (over("mpi", 2.0), over("ofi", 3.0, "message"), over("ofi", 4.0, "write"))
        (table,) = technologies_beside(kept(*made))
        names = ("mpi", "ofi (method=message)", "ofi (method=write)")
        found = [cells(table, "2", f"{name}: latency, us") for name in names]
        self.assertEqual(found, [["2.00"], ["3.00"], ["4.00"]])

    def test_have_the_counters_that_are_not_0(self) -> None:
        made = (over("mpi", 2.0), over("ofi", 3.0, **{COUNTER: 12, "another": 0}))
        (table,) = technologies_beside(kept(*made))
        self.assertEqual(cells(table, "ofi: counters"), [f"{COUNTER} 12"])
        self.assertNotIn("mpi: counters", as_text(table))

    def test_are_compared_by_what_the_mode_measures(self) -> None:
        of_farms = [document([farm_row(rate, 64)], FARMS[0].name) for rate in (2000, 1000)]
        of_farms[1]["technology"] = "tcp"
        (table,) = technologies_beside(kept(*of_farms))
        self.assertEqual(cells(table, "4 to 1", "tcp: frequency"), ["1.00 kHz"])

    def test_need_two(self) -> None:
        self.assertEqual(technologies_beside(kept(over("ofi", 3.0))), [])

    def test_are_compared_for_each_value_of_what_else_was_varied(self) -> None:
        def both(technology: str, *us: float) -> Json:
            rows = [
                row([time_us] * 7, 64, schedule=schedule)
                for schedule, time_us in zip(("none", "shift"), us)
            ]
            made = document(rows, parameters={"max_time_s": 1, "wait": "auto"})
            return {**made, "technology": technology}

        (table,) = technologies_beside(kept(both("mpi", 2.0, 3.0), both("ofi", 4.0, 5.0)))
        found = [line.cells[0].value for line in table.lines if line.cells[0]]
        self.assertEqual(found, ["2.00", "4.00", "3.00", "5.00"])

    def test_have_a_line_each_in_pictures(self) -> None:
        made = [over("mpi", 2.0)]
        made += [over(f"technology {i}", 2.0 + i, method) for i in range(4) for method in ("a", "b")]
        (latency,) = (one for one in gallery(kept(*made)) if one.name == "latency")
        self.assertEqual(len(latency.lines), 9)


    def test_have_pictures_with_file_names_of_their_own(self) -> None:
        known = {"hosts": [{"name": "a"}, {"name": "b"}], "cycles": 3, "latency_us": [[None, 1], [2, None]]}
        made = [
            {**document([row([1.0], linkmap=known)], "linkmap"), "technology": name}
            for name in ("tcp a/b", "tcp a+b")
        ]
        names = [one.name for one in gallery(kept(*made))]
        self.assertEqual(names, ["links-tcp-a-b-64", "links-tcp-a-b-64-2"])


class Farms(unittest.TestCase):
    def test_stand_beside_each_other_with_the_ratio_of_their_rates(self) -> None:
        push = document([farm_row(2000, 64), farm_row(1000, 1024)], FARMS[0].name)
        pull = document([farm_row(1000, 64), farm_row(800, 1024)], FARMS[1].name)
        table = farms_beside(kept(push, pull))[0]
        self.assertEqual(table.sizes, (64, 1024))
        ratio = f"{FARMS[1].short_label} / {FARMS[0].short_label}"
        self.assertEqual(cells(table, "4 to 1", ratio), ["0.500", "0.800"])
        rate = f"{FARMS[0].short_label}: frequency"
        self.assertEqual(cells(table, rate), ["2.00 kHz", "1.00 kHz"])

    def test_need_both_kinds(self) -> None:
        self.assertEqual(farms_beside(kept(document([farm_row(2000, 64)], FARMS[0].name))), [])

    def test_stand_beside_each_other_for_each_way_of_drawing_sizes(self) -> None:
        made = []
        for farm, fixed, drawn_sizes in ((FARMS[0], 2000, 1600), (FARMS[1], 1000, 400)):
            rows = [farm_row(fixed, 64), farm_row(drawn_sizes, 64, fragments="normal:0.2")]
            made.append(document(rows, farm.name))
        (table,) = farms_beside(kept(*made))
        ratio = f"{FARMS[1].short_label} / {FARMS[0].short_label}"
        found = [line.cells[0].value for line in table.lines if line.heads[-1] == ratio and line.cells[0]]
        self.assertEqual(found, ["0.500", "0.250"])

    def test_show_the_open_loop_with_the_highest_rate_that_was_sustained(self) -> None:
        rows = [
            farm_row(2000, 64),
            farm_row(1000, 64, "open", offered_Hz=1000),
            farm_row(1800, 64, "open", offered_Hz=1800),
            farm_row(1900, 64, "open", offered_Hz=2200, saturated=True, limited_by="farm"),
            farm_row(500, 1024, "open", offered_Hz=600, saturated=True, limited_by="farm"),
        ]
        tables = tables_of(kept(document(rows, FARMS[0].name)))
        self.assertEqual(len(tables), 2)
        self.assertIn("Closed loop", tables[0].about)
        self.assertIn("open loop", tables[1].title)
        self.assertEqual(cells(tables[0], "frequency"), ["2.00 kHz"])
        self.assertEqual(cells(tables[1], "offered"), ["1.80 kHz", "600 Hz"])
        self.assertEqual(cells(tables[1], "limited by"), [None, "farm"])


class Parkbench(unittest.TestCase):
    def test_times_of_a_message_stand_beside_each_other_where_counts_and_sizes_agree(self) -> None:
        theirs = next(one for one in catalogue.known().benchmarks.values() if one.counterpart)
        assert theirs.counterpart is not None
        made = [
            document([row([2.0] * 7, 64, mode=theirs.counterpart.mode)], theirs.counterpart.benchmark),
            document([row([3.0] * 7, size, mode=theirs.modes[0].name) for size in (64, 128)], theirs.name),
        ]
        table = parkbench_beside(kept(*made))[0]
        self.assertEqual(table.sizes, (64,))
        self.assertEqual(cells(table, "2", "ratio"), ["1.50"])

    def test_a_round_among_all_is_divided_by_its_messages(self) -> None:
        known = catalogue.known().benchmarks.values()
        theirs = next(one for one in known if one.counterpart and not one.count.is_fixed)
        assert theirs.counterpart is not None
        made = [
            document([row([24.0] * 7, 64, "round_us", mode=mode, processors=4)], name)
            for name, mode in (
                (theirs.counterpart.benchmark, theirs.counterpart.mode),
                (theirs.name, theirs.modes[0].name),
            )
        ]
        table = parkbench_beside(kept(*made))[0]
        self.assertEqual(cells(table, "4", f"{theirs.short_label}, us"), ["2.00"])


class Occupation(unittest.TestCase):
    REASONS: Reasons = {("pairs", "mpi", "16", "source", "spin"): "left out: 16 ranks share 2 cores"}

    def table(self, wait: str) -> Table:
        one = row(
            [2.0] * 7,
            64,
            "round_us",
            mode="stream",
            occupation="source",
            slowdown_communication=1.5,
            slowdown_computing={"source": 4.0},
            computing_left_pct={"source": 25.0},
        )
        made = document([one], "pairs", "1.4", parameters={"max_time_s": 1, "wait": wait})
        return tables_of(kept(made), self.REASONS)[0]

    def test_tables_have_the_slowdown_of_both_and_what_is_left(self) -> None:
        table = self.table("yield")
        self.assertEqual(cells(table, "slowdown of communication"), ["1.50"])
        self.assertEqual(cells(table, "slowdown of computing at the source"), ["4.00"])

    def test_a_count_that_was_left_out_has_its_reason_under_its_wait_only(self) -> None:
        said = {wait: as_text(self.table(wait)) for wait in ("spin", "yield")}
        self.assertIn("16 |  | not measured: left out: 16 ranks share 2 cores", said["spin"])
        self.assertNotIn("not measured: left out", said["yield"])


class Discussion(unittest.TestCase):
    def said(self, key: str, *documents: Json) -> str:
        rows = rows_of([Document(Path(f"{i}.json"), one) for i, one in enumerate(documents)])
        matter = Matter([], rows, [], [])
        return " ".join(next(one for one in points(matter, {}) if one.key == key).sentences)

    def test_caching_is_listed_by_size_for_each_pattern(self) -> None:
        hot = document([row([2.0] * 7, size) for size in (64, 1024)])
        rotated = document([row([3.0] * 7, size, buffers="rotate") for size in (64, 1024)])
        said = self.said("caching", hot, rotated)
        self.assertIn("pingpong: 1.50 (64 bytes), 1.50 (1024 bytes)", said)

    def test_bare_results_have_the_ratio_by_mode_and_size(self) -> None:
        made = document([row([2.0] * 7, 64, over_bare=1.04)], "bare", "bare")
        self.assertIn("pingpong: 1.04 (64 bytes)", self.said("supplement", made))
        self.assertIn("Not measured", self.said("supplement", document([row([2.0] * 7)])))


if __name__ == "__main__":
    unittest.main()
