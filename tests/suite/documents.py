"""Result documents and runs for tests of the verbs that read them: with figures that are known."""

from __future__ import annotations

import importlib.util
import io
import json
import random
import shutil
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Optional

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "python"))

from combench import main as driver  # noqa: E402
from combench.common.documents import MODULES  # noqa: E402

if any(importlib.util.find_spec(name) is None for name in MODULES):
    print(f"skipped: {sys.executable} lacks one of {', '.join(MODULES)}")
    sys.exit(77)

Json = dict[str, Any]
ENVIRONMENT: Json = {
    "combench": "0.1.0",
    "mpi": "Open MPI v4.1.4",
    "clock": {"source": "CLOCK_MONOTONIC", "resolution_ns": 1, "cost_ns": 20},
    "hosts": [{"name": "a", "cpu": "CPU", "kernel": "6.1", "governor": "performance"}],
}


def drawn(seed: int, middle: float, count: int = 40, spread: float = 0.02) -> list[float]:
    """Blocks of one run."""
    draw = random.Random(seed)
    return [middle * draw.lognormvariate(0, spread) for _ in range(count)]


def row(blocks: list[float], size: int = 64, figure: str = "latency_us", **more: Any) -> Json:
    """A row with the median of these blocks, and beside a computing task their mean."""
    ordered = sorted(blocks)
    half = len(ordered) // 2
    middle = (ordered[half] + ordered[-half - 1]) / 2
    beside = more.get("occupation", "none") != "none"
    return {
        "size_bytes": size,
        "processors": 2,
        "mode": "pingpong",
        "occupation": "none",
        "touch": "all",
        "buffers": "hot",
        "wait": {"requested": "auto", "effective": "spin"},
        "oversubscribed": False,
        figure: {
            **({"mean": sum(blocks) / len(blocks)} if beside else {}),
            "median": middle,
            "min": ordered[0],
            "max": ordered[-1],
        },
        "blocks_us": blocks,
        **more,
    }


def document(rows: list[Json], benchmark: str = "oneway", number: str = "1.1", **more: Any) -> Json:
    return {
        "schema": "combench-result/1",
        "benchmark": benchmark,
        "id": number,
        "technology": "mpi",
        "started": "2026-11-21T22:00:00Z",
        "elapsed_s": 1.5,
        "command": [f"cb_{benchmark}"],
        "complete": True,
        "parameters": {"max_time_s": 1.5},
        "environment": ENVIRONMENT,
        "results": rows,
        "skipped": [],
        "fit": [],
        **more,
    }


def entry(name: str, made: Json, state: str, result: str) -> Json:
    """Of the manifest of a run, for one of its documents."""
    return {
        "name": name,
        "section": made["benchmark"],
        "benchmark": made["benchmark"],
        "id": made["id"],
        "technology": made["technology"],
        "shape": "2",
        "ranks": 2,
        "placement": "spread",
        "options": [],
        "rows_at_most": 8,
        "state": state,
        "command": made["command"],
        "log": f"logs/{name}.txt",
        "exit_status": 0,
        "elapsed_s": 1.5,
        "rows": len(made["results"]),
        "result": result,
        **({} if state == "measured" else {"reason": "SIGTERM"}),
    }


def manifest(entries: list[Json]) -> Json:
    session = {
        "started": "2026-11-21T22:00:00Z",
        "host": "a",
        "command": ["combench", "run"],
        "allocation": {"kind": "local", "slots": 2, "hosts": 1},
        "ranks": 2,
        "launcher": {"kind": "openmpi", "command": ["mpirun"]},
        "programs": "build",
    }
    return {
        "schema": "combench-run/1",
        "plan": {"name": "tiny", "title": "", "file": "tiny.plan"},
        "started": "2026-11-21T22:00:00Z",
        "complete": True,
        "overrides": {},
        "measurements": entries,
        "sessions": [session],
    }


class Documents(unittest.TestCase):
    """A folder for each test, runs in it, and the driver called in this process."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-documents-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name: str, made: Json) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made), encoding="utf-8")
        return str(path)

    def run_of(self, name: str, *documents: Json, state: str = "measured") -> str:
        """The directory of a run with these documents."""
        directory = self.folder / name
        (directory / "results").mkdir(parents=True)
        entries = []
        for index, made in enumerate(documents):
            result = f"results/{made['benchmark']}-{index}.json"
            (directory / result).write_text(json.dumps(made), encoding="utf-8")
            entries.append(entry(f"{index}", made, state, result))
        (directory / "manifest.json").write_text(json.dumps(manifest(entries)), encoding="utf-8")
        return str(directory)

    def driver(self, *words: str, expect: Optional[int] = 0) -> tuple[str, str]:
        """Standard output and standard error of a verb; with None any status will do."""
        out, error = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(error):
            status = driver.main(words)
        if expect is not None:
            self.assertEqual(status, expect, out.getvalue() + error.getvalue())
        return out.getvalue(), error.getvalue()
