#!/usr/bin/python3
"""cb_oneway beside other programs that measure a ping-pong: OMB, IMB and NetPIPE, those that are installed.

All are started in turn, LAUNCHES times at each size: a launch differs from the next by more than the blocks
of one. Two launches that followed each other make a ratio; its median counts, with a 95 % interval from order
statistics. Exit status: 0 compared, 1 a program failed, 77 no peer is installed.

Each peer is compared with the cb_oneway that measures the same thing: OMB and IMB send one buffer that is never
written and receive into another (--buffers separate), NetPIPE sends back what it received (hot). A peer prints
a mean over all round trips, NetPIPE the least of three; the same is formed of cb_oneway's blocks.

The programs are found in PATH, or named by OMB (osu_latency), IMB (IMB-MPI1) and NETPIPE (NPopenmpi or NPmpich2):

    OMB=$HOME/omb/osu_latency builddir=build srcdir=. tests/perf/peers.py --launches 9 --sizes 64,1024,8192,65536
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

HERE = Path(__file__).resolve().parent
NOT_INSTALLED = 77
AGREEMENT = 1.05
TRIALS = 3  # of NetPIPE


def numbers_of(text: str, size_bytes: int) -> list[float]:
    """The numbers of the line that begins with a size."""
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == str(size_bytes):
            return [float(word) for word in words]
    raise ValueError(f"no line of {size_bytes} bytes in what it printed")


def omb_us(text: str, size_bytes: int) -> float:
    """`# Size  Latency (us)`: two decimals, so 0.20 is 0.195 to 0.205."""
    return numbers_of(text, size_bytes)[1]


def imb_us(text: str, size_bytes: int) -> float:
    """`#bytes #repetitions t[usec] Mbytes/sec`. The rate has more digits than the time; its megabyte is 10^6 bytes,
    and 2^20 in releases before 2018."""
    _, _, time_us, rate_MBps = numbers_of(text, size_bytes)[:4]
    readings = (size_bytes / rate_MBps, size_bytes / rate_MBps / 2**20 * 1e6) if rate_MBps > 0 else ()
    # What two decimals of the time permit; otherwise the time.
    fitting = [one for one in readings if abs(one - time_us) <= 0.0051]
    return min(fitting, key=lambda one: abs(one - time_us)) if fitting else time_us


def netpipe_us(text: str, _: int) -> float:
    """A line is bytes, Mbit/s, seconds; the seconds have too few digits. Its megabit is 2^20 bits."""
    size_bytes, rate_Mbps = (float(word) for word in text.split()[:2])
    return size_bytes * 8 / (rate_Mbps * 2**20) * 1e6


def mean_us(blocks: list[float]) -> float:
    return fmean(blocks)


def best_of_three_us(blocks: list[float]) -> float:
    third = len(blocks) // TRIALS
    return min(fmean(blocks[trial * third : (trial + 1) * third]) for trial in range(TRIALS))


@dataclass(frozen=True)
class Peer:
    name: str
    variable: str  # of the environment: the program
    programs: tuple[str, ...]
    options: str  # {size}, {file}
    read: Callable[[str, int], float]
    buffers: str  # of the cb_oneway that measures the same
    formed: Callable[[list[float]], float]
    writes_file: bool = False

    def program(self) -> str | None:
        named = os.environ.get(self.variable)
        return shutil.which(named) if named else next(filter(None, map(shutil.which, self.programs)), None)


PEERS = (
    Peer("OMB osu_latency", "OMB", ("osu_latency",), "-m {size}:{size} -x 2000 -i 100000", omb_us, "separate", mean_us),
    Peer(
        "IMB PingPong", "IMB", ("IMB-MPI1",), "PingPong -msglen {file} -iter 100000 -time 2", imb_us, "separate", mean_us
    ),
    Peer(
        "NetPIPE",
        "NETPIPE",
        ("NPopenmpi", "NPmpich2"),
        "-l {size} -u {size} -p 0 -o {file}",
        netpipe_us,
        "hot",
        best_of_three_us,
        writes_file=True,
    ),
)


def launch(*words: str) -> str:
    """What two ranks print."""
    ended = subprocess.run(["sh", str(HERE / "launch.sh"), "2", *words], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with status {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def peer_us(peer: Peer, program: str, size_bytes: int, folder: Path) -> float:
    file = folder / "sizes-or-output"
    file.write_text(f"{size_bytes}\n", encoding="utf-8")
    printed = launch(program, *peer.options.format(size=size_bytes, file=file).split())
    return peer.read(file.read_text(encoding="utf-8") if peer.writes_file else printed, size_bytes)


def blocks_us(buffers: str, size_bytes: int) -> list[float]:
    options = f"--mode pingpong --touch none --buffers {buffers} --max-time 0.6 --precision 0.01 --format json"
    program = str(Path(os.environ["builddir"]) / "cb_oneway")
    result = json.loads(launch(program, *options.split(), "--sizes", str(size_bytes)))
    return result["results"][0]["blocks_us"]


def bare_us(size_bytes: int) -> float | None:
    """MPI_Send and MPI_Recv in the harness of perf_thin, the calls of the peers: it tells a difference of calls from
    one of methods."""
    program = Path(os.environ["builddir"]) / "tests/perf/perf_thin"
    if not program.exists():
        return None
    printed = launch(*f"{program} --mode pingpong --touch none --window 2 --sizes {size_bytes}".split())
    found = re.search(r"^pingpong +\d+ +bare +([\d.]+)", printed, re.M)
    if found is None:
        raise ValueError("perf_thin printed no line of the bare ping-pong")
    return float(found[1])


def interval(values: list[float]) -> tuple[float, float]:
    """Of the median, 95 % or more: the order statistics that binomial probabilities give. Less than six values have
    none, and their ends are given."""
    ordered, count = sorted(values), len(values)
    skipped, outside = 0, 2 * 0.5**count
    while outside + 2 * math.comb(count, skipped + 1) * 0.5**count <= 0.05:
        skipped += 1
        outside += 2 * math.comb(count, skipped) * 0.5**count
    return ordered[skipped], ordered[count - 1 - skipped]


def spread(values: list[float]) -> str:
    return f"{median(values):9.3f} [{min(values):8.3f}, {max(values):8.3f}]"


def compare(peers: dict[Peer, str], size_bytes: int, launches: int, folder: Path) -> None:
    buffers = sorted({peer.buffers for peer in peers} | {"hot"})
    theirs: dict[str, list[float]] = {peer.name: [] for peer in peers}
    ratios: dict[str, list[float]] = {peer.name: [] for peer in peers}
    ours: dict[str, list[float]] = {one: [] for one in buffers}
    bare: list[float] = []
    for _ in range(launches):
        found = {one: blocks_us(one, size_bytes) for one in buffers}
        for one, blocks in found.items():
            ours[one].append(median(blocks))
        for peer, program in peers.items():
            theirs[peer.name].append(peer_us(peer, program, size_bytes, folder))
            ratios[peer.name].append(peer.formed(found[peer.buffers]) / theirs[peer.name][-1])
        calls = bare_us(size_bytes)
        bare += [calls] if calls is not None else []
    for one, values in ours.items():
        print(f"{size_bytes:9} {f'cb_oneway, {one}':28} {spread(values)}")
    if bare:
        print(f"{size_bytes:9} {'MPI_Send, MPI_Recv':28} {spread(bare)}")
    for peer in peers:
        least, most = interval(ratios[peer.name])
        ratio = median(ratios[peer.name])
        print(
            f"{size_bytes:9} {peer.name:28} {spread(theirs[peer.name])}   cb_oneway, {peer.buffers}, over it: "
            f"{ratio:.3f} ({least:.3f} to {most:.3f})"
        )
        print(
            f"target: {peer.name}, {size_bytes} bytes, the larger by the smaller: {max(ratio, 1 / ratio):.3f} "
            f"at most {AGREEMENT:.2f}"
        )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=5, help="of each program at each size (default 5)")
    parser.add_argument("--sizes", default="64,1024,8192,65536", help="bytes, with commas between them")
    found = parser.parse_args(words)
    peers = {peer: program for peer in PEERS if (program := peer.program()) is not None}
    if not peers:
        names = ", ".join(f"{peer.name} ({'/'.join(peer.programs)})" for peer in PEERS)
        print(f"skipped: no peer is installed; known are {names}; Debian has the package netpipe-openmpi")
        return NOT_INSTALLED
    missing = [peer.name for peer in PEERS if peer not in peers]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    print(f"half a round trip in us: median [least, largest] of {found.launches} launches")
    with tempfile.TemporaryDirectory() as folder:
        for size in found.sizes.split(","):
            try:
                compare(peers, int(size), found.launches, Path(folder))
            except (RuntimeError, ValueError) as cause:
                print(f"peers.py: {cause}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
