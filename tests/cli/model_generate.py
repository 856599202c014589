#!/usr/bin/python3
"""ccmod generate: each kind has its row sums, its column sums and its pairs, is the same by its seed, and is
evaluated. Matrices of bytes become traces and come back; those that are no matrix are refused by line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

CCMOD = os.environ.get("builddir", ".") + "/ccmod"
RANKS = 24
QUIET = ("--overhead-us", "1", "--latency-us", "1", "--bandwidth-MBps", "1000")
BYTES = 100003  # no multiple of any number of destinations

Matrix = list[list[int]]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([CCMOD, *arguments], capture_output=True, text=True, check=False)


def wrote(*arguments: str) -> str:
    result = call(*arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{' '.join(arguments)}: status {result.returncode}, {result.stderr}")
    return result.stdout


def kinds() -> list[str]:
    return [line.split()[0] for line in wrote("generate").splitlines()[1:]]


def read_matrix(text: str) -> Matrix:
    return [[int(word) for word in line.split(",")] for line in text.splitlines() if not line.startswith("#")]


def matrix_of(kind: str, *options: str, sizes: tuple[str, ...] = ("--bytes", str(BYTES))) -> Matrix:
    return read_matrix(wrote("generate", kind, "--matrix", "--ranks", str(RANKS), *sizes, *options))


def sent(matrix: Matrix) -> list[int]:
    return [sum(row) for row in matrix]


def received(matrix: Matrix) -> list[int]:
    return [sum(column) for column in zip(*matrix)]


def pairs(matrix: Matrix) -> set[tuple[int, int]]:
    return {(row, column) for row, cells in enumerate(matrix) for column, cell in enumerate(cells) if cell}


def destinations(matrix: Matrix) -> list[int]:
    return [sum(cell > 0 for cell in row) for row in matrix]


class Kinds(unittest.TestCase):
    def generated(self) -> list[str]:
        return [kind for kind in kinds() if kind != "file"]

    def test_ranks_send_what_was_asked_for_and_nothing_to_themselves(self) -> None:
        for kind in self.generated():
            matrix = matrix_of(kind)
            with self.subTest(kind):
                self.assertEqual([len(row) for row in matrix], [RANKS] * RANKS)
                self.assertLessEqual(set(sent(matrix)), {0, BYTES})
                self.assertIn(BYTES, sent(matrix))
                self.assertEqual([matrix[i][i] for i in range(RANKS)], [0] * RANKS)

    def test_the_mean_of_a_message_is_what_was_asked_for(self) -> None:
        for kind in self.generated():
            matrix = matrix_of(kind, sizes=("--pair-bytes", str(BYTES)))
            with self.subTest(kind):
                self.assertLess(abs(sum(sent(matrix)) / len(pairs(matrix)) - BYTES), 1)

    def test_the_seed_decides_and_nothing_else(self) -> None:
        for kind in self.generated():
            options = ["generate", kind, "--ranks", str(RANKS)]
            with self.subTest(kind):
                self.assertEqual(wrote(*options), wrote(*options))
            other = call(*options, "--seed", "2")
            if other.returncode == 0:
                with self.subTest(kind):
                    self.assertNotEqual(read_matrix(wrote(*options, "--matrix")),
                                        read_matrix(wrote(*options, "--matrix", "--seed", "2")))
            else:
                self.assertIn("--seed has no meaning", other.stderr)

    def test_all_kinds_are_evaluated_and_send_steps_times_their_matrix(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "kind.cct"
            for kind in self.generated():
                wrote("generate", kind, "--ranks", str(RANKS), "--bytes", str(BYTES), "--steps", "3",
                      "--compute-us", "2.5", "--output", str(trace))
                with self.subTest(kind):
                    end: dict[str, Any] = json.loads(wrote("run", *QUIET, "--format", "json", str(trace)))
                    self.assertGreater(end["end_us"], 7.5)
                    self.assertEqual(read_matrix(wrote("convert", "--to", "matrix", str(trace))),
                                     [[3 * cell for cell in row] for row in matrix_of(kind)])

    def test_uniform_differs_by_a_byte_and_all_receive_the_same(self) -> None:
        matrix = matrix_of("uniform")
        cells = {matrix[row][column] for row, column in pairs(matrix)}
        self.assertEqual(len(pairs(matrix)), RANKS * (RANKS - 1))
        self.assertEqual(cells, {BYTES // (RANKS - 1), BYTES // (RANKS - 1) + 1})
        self.assertEqual(received(matrix), [BYTES] * RANKS)

    def test_biased_gives_the_hot_ranks_the_factor(self) -> None:
        matrix = matrix_of("biased", "--hot", "3", "--factor", "5")
        for row in range(RANKS):
            hot = {matrix[row][i] for i in range(3) if i != row}
            cold = {matrix[row][i] for i in range(3, RANKS) if i != row}
            for cell in hot:
                self.assertLess(abs(cell - 5 * min(cold)), 6)
            self.assertLess(max(cold) - min(cold), 2)

    def test_k_hot_has_its_degree_and_draws_all_destinations(self) -> None:
        matrix = matrix_of("k-hot", "--degree", "5")
        self.assertEqual(destinations(matrix), [5] * RANKS)
        self.assertGreater(len(set(received(matrix))), 1)
        self.assertEqual(destinations(matrix_of("k-hot", "--degree", str(RANKS - 1))), [RANKS - 1] * RANKS)
        chosen = {column for seed in range(8) for row, column in pairs(matrix_of("k-hot", "--seed", str(seed)))}
        self.assertEqual(chosen, set(range(RANKS)))

    def test_zipf_falls_with_the_place(self) -> None:
        matrix = matrix_of("zipf", "--exponent", "1.5", sizes=("--bytes", "1GB"))
        for row in matrix:
            self.assertEqual(sum(cell > 0 for cell in row), RANKS - 1)
        columns = sorted(range(RANKS), key=lambda column: -received(matrix)[column])
        # a row that is not one of the two compared has both places
        row = matrix[columns[-1]]
        for place in range(1, RANKS - 1):
            self.assertAlmostEqual(row[columns[place]] / row[columns[0]], (place + 1) ** -1.5, places=6)

    def test_zipf_with_exponent_0_is_uniform(self) -> None:
        self.assertEqual(matrix_of("zipf", "--exponent", "0"), matrix_of("uniform"))

    def test_sparse_has_the_density(self) -> None:
        of_all = RANKS * (RANKS - 1)
        drawn = sum(len(pairs(matrix_of("sparse", "--density", "0.25", "--seed", str(seed)))) for seed in range(20))
        # 20 matrices: the standard deviation of the share is 0.0041
        self.assertLess(abs(drawn / (20 * of_all) - 0.25), 0.0165)
        self.assertEqual(matrix_of("sparse", "--density", "1"), matrix_of("uniform"))
        self.assertEqual(pairs(matrix_of("sparse", "--density", "0")), set())

    def test_permutation_has_one_of_each(self) -> None:
        for seed in range(10):
            matrix = matrix_of("permutation", "--seed", str(seed))
            self.assertEqual(destinations(matrix), [1] * RANKS)
            self.assertEqual(received(matrix), [BYTES] * RANKS)

    def test_incast_goes_to_rank_0(self) -> None:
        self.assertEqual(pairs(matrix_of("incast", "--senders", "5")), {(row, 0) for row in range(1, 6)})
        self.assertEqual(pairs(matrix_of("incast")), {(row, 0) for row in range(1, RANKS)})

    def test_ring_goes_to_the_next(self) -> None:
        self.assertEqual(pairs(matrix_of("ring")), {(row, (row + 1) % RANKS) for row in range(RANKS)})

    def test_halo_has_the_neighbours_of_the_grid(self) -> None:
        extents = (2, 3, 4)
        places = {(a * 3 + b) * 4 + c: (a, b, c) for a in range(2) for b in range(3) for c in range(4)}
        ranks = {place: rank for rank, place in places.items()}
        expected: dict[tuple[int, int], int] = {}
        for rank, place in places.items():
            for dimension, extent in enumerate(extents):
                for step in (-1, 1):
                    other = tuple((at + step) % extent if i == dimension else at for i, at in enumerate(place))
                    key = (rank, ranks[other])
                    expected[key] = expected.get(key, 0) + 1000
        matrix = matrix_of("halo", "--grid", "2x3x4", sizes=("--bytes", "6000"))
        self.assertEqual({pair: matrix[pair[0]][pair[1]] for pair in pairs(matrix)}, expected)

    def test_halo_without_a_grid_is_nearly_square(self) -> None:
        self.assertEqual(matrix_of("halo"), matrix_of("halo", "--grid", "6x4"))

    def test_regular_traffic_is_as_short_for_many_ranks(self) -> None:
        text = wrote("generate", "uniform", "--ranks", "2000", "--bytes", "1999000")
        self.assertLess(len(text.splitlines()), 15)

    def test_balance_is_the_mean_by_the_largest(self) -> None:
        self.assertIn("balance of what ranks send 0.75, of what they receive 0.25",
                      wrote("generate", "incast", "--ranks", "4"))


class Refused(unittest.TestCase):
    def refused(self, *arguments: str) -> str:
        result = call(*arguments)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stdout}{result.stderr}")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr

    def test_options_of_another_kind_name_those_that_take_them(self) -> None:
        self.assertRegex(self.refused("generate", "ring", "--factor", "2"), "--factor .*ring; .*: biased")
        self.assertRegex(self.refused("generate", "file", "--ranks", "2"), "--ranks .*file")

    def test_parameters_out_of_range(self) -> None:
        for options, words in {
            ("nosuch",): "nosuch.*lists",
            ("k-hot", "--ranks", "4", "--degree", "4"): "--degree.*--ranks",
            ("biased", "--ranks", "4", "--hot", "4"): "--hot.*--ranks",
            ("incast", "--ranks", "4", "--senders", "4"): "--senders.*--ranks",
            ("halo", "--ranks", "4", "--grid", "3x2"): "--grid '3x2' has 6 ranks, but --ranks is 4",
            ("halo", "--grid", "2x2x2x2"): "--grid.*three",
            ("halo", "--grid", "4x"): "--grid '4x'.*4x4x4",
            ("halo", "--grid", "0x4"): "--grid '0x4'",
            ("sparse", "--density", "1.5"): "density",
            ("ring", "--ranks", "1"): "ranks",
            ("ring", "--ranks", "5000"): "ranks.*4096",
            ("ring", "--bytes", "1kB", "--pair-bytes", "1kB"): "--bytes and --pair-bytes",
            ("ring", "--matrix", "--steps", "2"): "--matrix.*--steps",
            ("file",): "--input",
            ("file", "--input", "/nowhere/matrix"): "/nowhere/matrix",
        }.items():
            with self.subTest(" ".join(options)):
                self.assertRegex(self.refused("generate", *options), words)

    def test_a_matrix_that_is_none(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.csv"
            for text, words in {
                "0,1\n": "m.csv:1: .*1 rows of 2.*add",
                "0,1\n2,0\n3,4\n": "m.csv:3: more than 2 rows.*remove",
                "# head\n0,1\n2,0,3\n": "m.csv:3: a row of 3 numbers, but that of line 2 has 2",
                "0,-1\n2,0\n": "m.csv:1: column 2, '-1'.*write",
                "0,1\n2x,0\n": "m.csv:2: column 1, '2x'",
                "0,1.5\n2,0\n": "m.csv:1: column 2, '1.5'",
                "0,1e300\n2,0\n": "m.csv:1: column 2",
                "0,99999999999999999\n2,0\n": "m.csv:1: column 2",
                "0,\n2,0\n": "m.csv:1: column 2 is empty",
                "0,1\n2,7\n": "m.csv:2: column 2: rank 1 sends to itself.*diagonal",
                "": "m.csv: there is no row",
                "# nothing\n\n": "m.csv: there is no row",
                "0,1\n2,\0\n": "m.csv:2: a zero byte",
                ",".join(["0"] * 4097) + "\n": "m.csv:1: a row of 4097 numbers.*4096",
            }.items():
                path.write_text(text, encoding="ascii")
                with self.subTest(text[:40]):
                    for command in (["convert", "--from", "matrix"], ["generate", "file", "--input"]):
                        self.assertRegex(self.refused(*command, str(path)), words)

    def test_traces_that_are_no_matrix(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.cct"
            path.write_text("%cct 1 ranks 5000 unit us\n0: s 1 8\n", encoding="ascii")
            self.assertRegex(self.refused("convert", "--to", "matrix", str(path)), "5000 ranks.*4096")
            path.write_text(f"%cct 1 ranks 2 unit us\n0:\ns 1 {2**53}\ns 1 1\n", encoding="ascii")
            self.assertRegex(self.refused("convert", "--to", "matrix", str(path)), r"t\.cct:4: .*2\^53")


class RoundTrip(unittest.TestCase):
    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        self.kept = tempfile.TemporaryDirectory()
        self.folder = Path(self.kept.name)

    def tearDown(self) -> None:
        self.kept.cleanup()

    def through(self, matrix: str, *form: str) -> Matrix:
        (self.folder / "m.csv").write_text(matrix, encoding="ascii")
        (self.folder / "t.cct").write_text(wrote("convert", "--from", "matrix", *form, str(self.folder / "m.csv")),
                                           encoding="ascii")
        source = form[1:] and ["--from", form[1]]
        return read_matrix(wrote("convert", *source, "--to", "matrix", str(self.folder / "t.cct")))

    def test_a_matrix_becomes_a_trace_and_comes_back(self) -> None:
        for kind in kinds()[:-1]:
            text = wrote("generate", kind, "--matrix", "--ranks", "9", "--bytes", "12345")
            with self.subTest(kind):
                self.assertEqual(self.through(text), read_matrix(text))
                self.assertEqual(self.through(text, "--to", "goal"), read_matrix(text))

    def test_units_blanks_and_comments(self) -> None:
        text = "# three ranks\n 0, 4KiB ,1kB # the first\r\n\n1,0,2\n0,0,0"
        self.assertEqual(self.through(text), [[0, 4096, 1000], [1, 0, 2], [0, 0, 0]])

    def test_a_line_may_be_long(self) -> None:
        wide = [[0] * 700 for _ in range(700)]
        wide[0][699], wide[699][0] = 2**50, 1
        text = "\n".join(",".join(f"{cell:>9}" for cell in row) for row in wide)
        self.assertEqual(self.through(text), wide)

    def test_one_rank_has_nothing_to_send(self) -> None:
        self.assertEqual(self.through("0\n"), [[0]])
        wrote("run", str(self.folder / "t.cct"))

    def test_the_trace_of_a_matrix_ends_when_its_bytes_are_there(self) -> None:
        (self.folder / "m.csv").write_text("0,1MB,0\n0,0,2MB\n0,0,0\n", encoding="ascii")
        trace = self.folder / "t.cct"
        options = ["--overhead-us", "0", "--latency-us", "0", "--bandwidth-MBps", "100", "--format", "json"]
        for command in (["convert", "--from", "matrix"], ["generate", "file", "--input"]):
            trace.write_text(wrote(*command, str(self.folder / "m.csv")), encoding="ascii")
            with self.subTest(command[0]):
                self.assertAlmostEqual(json.loads(wrote("run", *options, str(trace)))["end_us"], 20000, places=3)

    def test_multicasts_and_waits_count_by_receiver(self) -> None:
        trace = self.folder / "t.cct"
        trace.write_text("%cct 1 ranks 3 unit us\n0:\n@ 2\nm * 5\nis 2 3\nw\n;\nc 8\n"
                         "1-2:\n@ 2\nr 0 5\n;\n2:\n@ 2\nr 0 3\n;\n", encoding="ascii")
        text = wrote("convert", "--to", "matrix", str(trace))
        self.assertEqual(read_matrix(text), [[0, 10, 16], [0, 0, 0], [0, 0, 0]])
        self.assertTrue(re.match("# bytes from", text), text)


if __name__ == "__main__":
    unittest.main()
