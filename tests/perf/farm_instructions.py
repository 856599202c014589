#!/usr/bin/python3
"""farm_instructions.py FILE...: instructions of an event of a farm, of the project's own code.

FILE is what callgrind wrote for one rank of one run. Counted are the functions that ran once for each
fragment, and the loops of the supervisor and of those that serve it; the technology's are left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LOOPS = ("farm_supervise", "farm_serve")
PER_EVENT = "farm_accept_fragment"
_COST = re.compile(r"\s*([\d,]+)\s*(?:\(.*?\))?\s+(\S+):(\S+)")


def calls_of(path: str) -> dict[str, int]:
    """Calls by function."""
    names: dict[str, str] = {}
    calls: dict[str, int] = {}
    called = ""
    for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        if found := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            if found[2]:
                names[found[1]] = found[2].strip()
            if line.startswith("cfn="):
                called = found[1]
        elif found := re.match(r"calls=(\d+)", line):
            calls[called] = calls.get(called, 0) + int(found[1])
    return {names[number]: count for number, count in calls.items()}


def main() -> int:
    counted = {path: calls_of(path) for path in sys.argv[1:]}
    events = max((calls.get(PER_EVENT, 0) for calls in counted.values()), default=0)
    if events == 0:
        sys.exit(f"farm_instructions.py: no FILE has calls of {PER_EVENT}; give those of all ranks of a farm")
    total = 0.0
    for path, calls in counted.items():
        command = ["callgrind_annotate", "--inclusive=no", "--threshold=100", path]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        own = 0
        for cost, file, name in _COST.findall(said):
            function = name.split("'")[0]
            if re.search("(src|benchmarks)/", file) and "/transport/mpi/" not in file:
                if function in LOOPS or calls.get(function) == events:
                    own += int(cost.replace(",", ""))
        print(f"{path}: {own / events:.1f} instructions an event")
        total += own / events
    print(f"all: {total:.1f} instructions an event, {events} events")
    return 0


if __name__ == "__main__":
    sys.exit(main())
