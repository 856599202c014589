#!/usr/bin/python3
"""What tests of the command line know of all benchmarks, from the build's benchmarks.json.

benchmarks.py ranks FILE   NAME RANKS GROUP: ranks that measure something, a line each
benchmarks.py traces FILE  RANKS NAME OPTION...: one measurement of each mode, for --emit-trace
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# The count of a trace, and the ranks that it takes; of a pair both follow.
TRACED = {
    "processors": (["--processors", "4"], 4),
    "destinations": (["--destinations", "4"], 5),
    "sources": (["--sources", "4"], 5),
    "topology": (["--topology", "4-2-1"], 7),
}
FARM = (["--sources", "3", "--destinations", "2"], 6)


def ranks_of(benchmark: Json) -> int:
    processors = [mode.get("processors", 0) for mode in benchmark["modes"]]
    if benchmark["count"]["column"] == "topology":
        return sum(int(stage) for stage in benchmark["count"]["usual"][0].split("-"))
    if not benchmark["count"]["options"]:
        return max(2, *processors, 0)
    return 5


def traces_of(benchmark: Json, choices: dict[str, list[str]]) -> Iterator[list[str]]:
    count = benchmark["count"]
    options, ranks = ([], 2)
    if len(count["options"]) == 2:
        options, ranks = FARM
    elif count["options"]:
        options, ranks = TRACED[count["column"]]
    if "algorithm" in benchmark["options"]:
        options = [*options, "--algorithm", "0"]
    # Of an own option, which may stand for several measurements, one value.
    for name, values in choices.items():
        options = [*options, f"--{name}", values[0]]
    for mode in benchmark["modes"]:
        named = ["--mode", mode["name"]] if "mode" in benchmark["options"] else []
        yield [str(mode.get("processors", ranks)), benchmark["name"], "--sizes", "64", *named, *options]


def main() -> int:
    known = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    for benchmark in known["benchmarks"]:
        if benchmark["group"] in ("replay", "congestion"):  # messages of a file, or of other benchmarks
            continue
        if sys.argv[1] == "ranks":
            print(benchmark["name"], ranks_of(benchmark), benchmark["group"])
            continue
        own = {
            row["name"]: row["choices"]
            for row in known["options"]
            if row["programs"] == [benchmark["program"]] and "choices" in row
        }
        for words in traces_of(benchmark, own):
            print(*words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
