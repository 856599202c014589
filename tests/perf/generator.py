#!/usr/bin/python3
"""How well an open loop follows its schedule: from a result of cb_pushfarm --load-curve.

Each row: the rate that was offered, how far the rate of issuing was from it, the rate of decisions,
and whether the farm could follow. A rate that is carried must be issued within one per cent; what
is not carried says so, and is no matter of the generator.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

def main() -> int:
    rows = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["results"]
    closed = next(row["frequency_Hz"] for row in rows if row["mode"] == "closed")
    print(f"closed loop: {closed:.0f} events/s")
    print(f"{'offered, Hz':>12}  {'of closed':>9}  {'generator error, %':>18}  {'decided, Hz':>11}")
    worst = 0.0
    for row in rows:
        if row["mode"] != "open":
            continue
        share = row["offered_Hz"] / closed
        error = row.get("generator_error_pct")
        shown = "saturated" if error is None else f"{error:.3f}"
        print(f"{row['offered_Hz']:12.0f}  {share:9.2f}  {shown:>18}  {row['frequency_Hz']:11.0f}")
        worst = max(worst, error or 0.0)
    print(f"target: error of the load generator where the rate is carried, %: {worst:.3f} at most 1.00")
    return 0


if __name__ == "__main__":
    sys.exit(main())
