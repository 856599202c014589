"""Makes JSON documents of what ccmod prints and of traces, for the page ccmod; its steps call it:

    ccmod_documents.py signals SIGNALS OUTPUT            routes, contention and costs of an evaluation
    ccmod_documents.py fits OUTPUT CALIBRATION...        the lines of calibrations and what they were fitted to
    ccmod_documents.py trace CCT OUTPUT                  what a trace contains, and the times in it
    ccmod_documents.py speed CCMOD OUTPUT CCT...         messages and records per second of an evaluation
"""

from __future__ import annotations

import json
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

Json = dict[str, Any]

_NUMBER = r"([-+.\de]+)"
_ROUNDS = 9  # of a measurement of speed


def signals(text: str) -> Json:
    """The messages with their routes, the contention of each link, and the costs, of the first cycle."""
    messages: dict[str, Json] = {}
    contention: Json = {}
    for line in text.splitlines():
        _, name, rest = line.split(maxsplit=2)
        if found := re.fullmatch(r"message (\d+): (\d+ to \d+), .* quiet ([\d.]+) us, over (.*)", rest):
            number, way, quiet, route = found.groups()
            messages[number] = {"way": way, "quiet_us": float(quiet), "route": route.split(", ")}
        elif name == "SYSCONT" and not contention:
            contention = {cell: int(count) for cell, count in re.findall(r"([^:,]+): (\d+)(?:, )?", rest)}
        elif found := re.fullmatch(rf"message (\d+): availability {_NUMBER}, cost {_NUMBER} us", rest):
            number, availability, cost = found.groups()
            messages[number] |= {"availability": float(availability), "cost_us": float(cost)}
        elif found := re.fullmatch(r"message (\d+): contention (\d+), bottleneck (.*)", rest):
            messages[found[1]] |= {"contention": int(found[2]), "bottleneck": found[3]}
    return {"messages": list(messages.values()), "contention": contention}


def fit(calibration: str) -> Json:
    """The lines of a calibration file, in order of size, and the points of its comments."""
    lines, points = [], []
    left_out = 0
    for line in calibration.splitlines():
        if line.startswith("line "):
            values = dict(word.split("=") for word in line.split()[1:])
            us = float(values["overhead_us"]) + float(values["latency_us"])
            lines.append({"start_us": us, "us_per_byte": float(values["us_per_byte"])})
        elif found := re.fullmatch(r"#\s+(\d+)\s+([\d.]+)\s+\S+\s+([-\d.]+)", line):
            size, measured, error = found.groups()
            points.append({"size_bytes": int(size), "us": float(measured), "error_pct": float(error)})
        elif found := re.match(r"# (\d+) measurements were left out", line):
            left_out = int(found[1])
    return {"lines": lines, "points": points, "left_out": left_out}


def _ranks(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """The records of a trace of the tracer, each with its rank."""
    rank = -1
    for line in lines:
        if re.fullmatch(r"\d+:\n", line):
            rank = int(line[:-2])
        elif rank >= 0:
            yield rank, line


def trace(path: Path) -> Json:
    """What a trace of the tracer contains. A rank's time is that of its calls and of the computing between;
    it is known if the trace has the real time of calls."""
    computed: dict[int, float] = {}
    called: dict[int, float] = {}
    records = messages = size = 0
    with path.open(encoding="utf-8") as file:
        for rank, line in _ranks(file):
            words = line.split()
            comment = words[0] == "#"
            records += not comment
            if words[0] == "c":
                computed[rank] = computed.get(rank, 0) + float(words[1])
            elif found := re.search(r": ([\d.]+) us$" if comment else r" t=([\d.]+)$", line.rstrip()):
                called[rank] = called.get(rank, 0) + float(found[1])
            if words[0] in ("s", "is"):
                messages += 1
                size += int(words[2])
    made: Json = {"ranks": len(computed), "records": records, "messages": messages, "sent_bytes": size}
    made["compute_us"] = sum(computed.values()) / max(len(computed), 1)
    if called:
        made["communication_us"] = sum(called.values()) / len(computed)
        made["clock_us"] = max(computed[rank] + called.get(rank, 0) for rank in computed)
    return made


def _processor_s(words: list[str]) -> float:
    """The processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _records(ccmod: str, path: str) -> int:
    text = subprocess.run([ccmod, "info", path], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^(\d+) records with loops unrolled", text, re.MULTILINE)
    if not found:
        raise ValueError(f"ccmod info {path} prints no number of records")
    return int(found[1])


def speed(ccmod: str, paths: list[str], options: list[str]) -> Json:
    """The processor time of ccmod run, with reading the trace: the median of some runs."""
    made = {}
    for path in paths:
        output = Path(path).with_suffix(".speed.json")
        words = [ccmod, "run", *options, "--format", "json", "--output", str(output), path]
        times = [_processor_s(words) for _ in range(_ROUNDS)]
        seconds = statistics.median(times)
        document = json.loads(output.read_text(encoding="utf-8"))
        records = _records(ccmod, path)
        made[Path(path).stem] = {
            "ranks": document["ranks"],
            "records": records,
            "messages": document["messages"],
            "processor_s": seconds,
            "records_per_s": records / seconds,
            "messages_per_s": document["messages"] / seconds,
        }
    return made


def main(words: list[str]) -> int:
    what, *rest = words
    if what == "signals":
        made = signals(Path(rest[0]).read_text(encoding="utf-8"))
    elif what == "fits":
        made = {Path(file).stem: fit(Path(file).read_text(encoding="utf-8")) for file in rest[1:]}
        rest = rest[:1]
    elif what == "trace":
        made = trace(Path(rest[0]))
    elif what == "speed":
        ccmod, output, *more = rest
        traces = [one for one in more if one.endswith(".cct")]
        made, rest = speed(ccmod, traces, [one for one in more if one not in traces]), [output]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    Path(rest[-1]).write_text(json.dumps(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
