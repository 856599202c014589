"""Write a file of a packaging tool from its template and benchmarks.json, so that names of benchmarks and figures
stand in one place: definitions.py BENCHMARKS.JSON TEMPLATE NAME=VALUE... In the template, @NAME@ is a value,
@PROGRAMS@ the list of programs, @BENCHMARKS@ name -> program, @FIGURES@ column -> (unit, part), for
columns whose values are better higher or lower; the part is the key of the value that stands for a distribution."""

import json
import re
import sys
from pathlib import Path

PARTS = {"number": "", "summary": "median", "distribution": "p50"}


def replacements(catalogue: dict) -> dict[str, str]:
    benchmarks = catalogue["benchmarks"]
    return {
        "PROGRAMS": repr([one["program"] for one in benchmarks]),
        "BENCHMARKS": repr({one["name"]: one["program"] for one in benchmarks}),
        "FIGURES": repr(
            {
                one["key"]: (one.get("unit", ""), PARTS[one["type"]])
                for one in catalogue["columns"]
                if one["better"] != "neither" and one["type"] in PARTS
            }
        ),
    }


def main() -> int:
    catalogue = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    values = dict(word.split("=", 1) for word in sys.argv[3:]) | replacements(catalogue)
    template = Path(sys.argv[2]).read_text(encoding="utf-8")
    lacking = set(re.findall(r"@([A-Z0-9_]+)@", template)) - set(values)
    if lacking:
        print(f"definitions.py: {sys.argv[2]} has @{min(lacking)}@, which nothing sets", file=sys.stderr)
        return 2
    print(re.sub(r"@([A-Z0-9_]+)@", lambda found: values[found.group(1)], template), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
