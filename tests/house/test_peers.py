#!/usr/bin/python3
"""tests/perf/peers.py: figures from what OMB, IMB and NetPIPE print, and intervals of a median."""

import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(os.environ.get("srcdir", ".")).resolve() / "tests/perf"))
import peers  # noqa: E402

OMB = """# OSU MPI Latency Test v7.2
# Size          Latency (us)
64                      0.20
"""
IMB = """#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0       100000         0.18         0.00
           64       100000         0.19       336.12
"""


class Readings(unittest.TestCase):
    def test_latency_of_omb(self) -> None:
        self.assertEqual(peers.omb_us(OMB, 64), 0.20)

    def test_imb_has_more_digits_in_the_rate(self) -> None:
        self.assertAlmostEqual(peers.imb_us(IMB, 64), 64 / 336.12)

    def test_megabytes_of_older_releases_are_powers_of_two(self) -> None:
        old = f"64 1000 0.19 {64 / 0.1904 / 2**20 * 1e6:.2f}"
        self.assertAlmostEqual(peers.imb_us(old, 64), 0.1904, places=4)

    def test_an_empty_message_has_a_time_and_no_rate(self) -> None:
        self.assertEqual(peers.imb_us(IMB, 0), 0.18)

    def test_megabits_of_netpipe_are_powers_of_two(self) -> None:
        self.assertAlmostEqual(peers.netpipe_us("64 2441.40625 0.00000020\n", 64), 0.2)

    def test_a_size_that_is_missing(self) -> None:
        with self.assertRaisesRegex(ValueError, "no line of 128 bytes"):
            peers.omb_us(OMB, 128)


class Blocks(unittest.TestCase):
    def test_best_of_three_is_the_least_mean_of_a_third(self) -> None:
        self.assertEqual(peers.best_of_three_us([5, 5, 1, 3, 4, 4]), 2)


class Intervals(unittest.TestCase):
    def test_nine_launches_leave_out_one_at_each_end(self) -> None:
        self.assertEqual(peers.interval([9.0, 1, 2, 3, 4, 5, 6, 7, 8]), (2, 8))

    def test_twenty_launches_leave_out_five(self) -> None:
        self.assertEqual(peers.interval([float(one) for one in range(20)]), (5, 14))

    def test_few_launches_have_their_ends(self) -> None:
        self.assertEqual(peers.interval([3.0, 1, 2]), (1, 3))


class Programs(unittest.TestCase):
    def test_without_a_peer_the_status_is_that_of_a_skipped_test(self) -> None:
        path, os.environ["PATH"] = os.environ["PATH"], "/nonexistent"
        try:
            self.assertEqual(peers.main([]), peers.NOT_INSTALLED)
        finally:
            os.environ["PATH"] = path


if __name__ == "__main__":
    unittest.main()
