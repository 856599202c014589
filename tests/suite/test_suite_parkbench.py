#!/usr/bin/env python3
"""`combench parkbench`: figures of the note and of Parkbench brought to one definition."""

from __future__ import annotations

import unittest
from typing import Any

from documents import Documents, Json, document, drawn, row


def fit(**parameters: Any) -> list[Json]:
    about = {"mode": "any", "processors": 2, "figure": "latency_us"}
    return [{**about, "from_bytes": 0, "to_bytes": 1024, **parameters}]


class Parkbench(Documents):
    def shown(self, *documents: Json) -> str:
        return self.driver("parkbench", self.run_of("run", *documents))[0]

    def test_equal_times_of_comms1_agree(self) -> None:
        said = self.shown(
            document([row(drawn(1, 2.0), size) for size in (0, 64)]),
            document([row(drawn(2, 2.0), size) for size in (0, 64)], "comms1", "COMMS1"),
        )
        self.assertIn("1.1 and COMMS1: mpi 2 procs", said)
        self.assertIn("all 2 sizes agree within 5 %", said)

    def test_times_that_differ_by_more_than_5_per_cent_are_marked(self) -> None:
        said = self.shown(
            document([row(drawn(1, 2.0), size) for size in (0, 64)]),
            document([row(drawn(2, 2.0), 0), row(drawn(3, 2.4), 64)], "comms1", "COMMS1"),
        )
        marked = [line.split()[0] for line in said.splitlines() if "differs: variation between starts" in line]
        self.assertEqual(marked, ["64"])
        self.assertIn("1 of 2 sizes agree within 5 %; reasons of the others: variation between starts", said)

    def test_what_ranks_that_share_cores_measure_says_so(self) -> None:
        said = self.shown(
            document([row(drawn(1, 2.0), 64, oversubscribed=True)]),
            document([row(drawn(3, 2.4), 64)], "comms1", "COMMS1"),
        )
        self.assertIn("differs: ranks share cores", said)

    def test_a_copy_of_a_result_is_no_launch(self) -> None:
        for name in ("a", "b"):
            self.write(f"plain/{name}.json", document([row(drawn(1, 2.0))]))
            self.write(f"plain/comms{name}.json", document([row(drawn(2, 2.0))], "comms1", "COMMS1"))
        said, error = self.driver("parkbench", str(self.folder / "plain"))
        self.assertIn("all 1 sizes agree", said)
        self.assertEqual(error.count("is a copy of"), 2)

    def test_launches_are_compared_by_their_means(self) -> None:
        for launch, us in enumerate((2.0, 2.2, 2.4), 1):
            folder = "run" if launch == 1 else f"run/launch-{launch}"
            line = fit(mode="pingpong", overhead_us=us, r_inf_MBps=100.0, n_half_bytes=200.0, rms_residual_us=0)
            self.write(f"{folder}/oneway.json", document([row([us] * 20)], fit=line))
            self.write(f"{folder}/comms1.json", document([row([1.5 * us] * 20)], "comms1", "COMMS1"))
        said = self.driver("parkbench", str(self.folder / "run"))[0]
        self.assertRegex(said, r" 64 +2\.194 +3\.291 .*\+50\.0 .*differs: unknown")
        self.assertIn("fit of 1.1, launch-3, 0 to 1024 bytes: r_inf 100 MB/s", said)

    def test_half_of_an_exchange_is_the_time_of_comms2(self) -> None:
        said = self.shown(
            document([row(drawn(1, 3.0), 64, "round_us", mode="exchange")], "twoway", "1.2"),
            document([row(drawn(2, 1.5), 64, mode="exchange")], "comms2", "COMMS2"),
        )
        self.assertIn("all 1 sizes agree within 5 %", said)

    def test_a_round_of_comms3_is_divided_by_its_messages(self) -> None:
        four: Json = {"processors": 4, "mode": "round"}
        rows = [row([12.0] * 20, 120, "round_us", **four)]
        others = [row([12.0] * 20, 120, "round_us", **{**four, "mode": "saturate"})]
        said = self.shown(document(rows, "alltoall", "1.3"), document(others, "comms3", "COMMS3"))
        self.assertRegex(said, r" 120 +1 +1 +120 +120 +\+0\.0 ")
        self.assertIn("highest rate of COMMS3: 120 MB/s at 120 bytes", said)

    def test_parameters_of_the_note_are_brought_to_the_time_of_a_message(self) -> None:
        line = fit(overhead_us=2.0, r_inf_MBps=100.0, n_half_bytes=200.0, rms_residual_us=0)
        half = fit(overhead_us=1.0, r_inf_MBps=200.0, n_half_bytes=200.0, rms_residual_us=0)
        line[0]["mode"] = "exchange"
        rows = [row(drawn(1, 3.0), 64, "round_us", mode="exchange")]
        others = [row(drawn(2, 1.5), 64, mode="exchange")]
        said = self.shown(
            document(rows, "twoway", "1.2", fit=line),
            document(others, "comms2", "COMMS2", fit=half),
        )
        expected = "0 to 1024 bytes: r_inf 200 MB/s, n_half 200 bytes, t0 1 us, pi0 1e+06 /s"
        self.assertIn(f"fit of 1.2, {expected}", said)
        self.assertIn(f"fit of COMMS2, {expected}", said)

    def test_a_fit_that_was_refused_says_why(self) -> None:
        said = self.shown(
            document([row(drawn(1, 2.0))], fit=fit(refusal="no line"), skipped=[]),
            document(
                [row(drawn(2, 2.0))],
                "comms1",
                "COMMS1",
                skipped=[{"what": "fit", "reason": "too few sizes"}],
            ),
        )
        self.assertIn("fit of COMMS1, none: too few sizes", said)

    def test_another_way_to_wait_is_no_pair(self) -> None:
        wait = {"requested": "auto", "effective": "yield"}
        made = self.run_of(
            "run",
            document([row(drawn(1, 2.0))]),
            document([row(drawn(2, 2.0), wait=wait)], "comms1", "COMMS1"),
        )
        _, error = self.driver("parkbench", made, expect=2)
        self.assertIn("combench run parkbench", error)


if __name__ == "__main__":
    unittest.main()
