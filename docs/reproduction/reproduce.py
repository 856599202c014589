"""Reproduces tables, figures and claims of the three source documents; scripts/reproduce starts it."""

from __future__ import annotations

import argparse
import fcntl
import importlib
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(TOP / "python")]

import page as pages  # noqa: E402
import steps as measuring  # noqa: E402
from combench.common.progress import Progress, duration  # noqa: E402

PAGES = tuple(name for name in ("note48", "sci", "ccmod") if (HERE / f"{name}.py").is_file())
INTERRUPTED = 130

EPILOG = """\
Without a page all are made. A page is measured as a whole; then its results and its text in
docs/reproduction are replaced. An interrupted run leaves both as they were. A step that fails is
named in the page as "not reproduced: reason".

Exit status: 0 all steps succeeded, 1 a step failed (the page says which), 2 wrong usage or no
programs, 130 interrupted.
"""


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/reproduce",
        description="Reproduce the tables, figures and claims of DAQ note 48, of the note on message passing over"
        " SCI, and of the article on CCMOD: measure, keep the results, write the pages of"
        " docs/reproduction.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"{pages.joined(PAGES, 'or')}; default all")
    parser.add_argument("--tables", action="store_true", help="write the pages from kept results, measure nothing")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and about how long they take")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder of kept results")
    parser.add_argument("--into", type=Path, default=HERE, help="folder of the pages")
    found = parser.parse_args(words)
    unknown = [name for name in found.pages if name not in PAGES]
    if unknown:
        parser.error(f"no page '{unknown[0]}'; use {pages.joined(PAGES, 'or')}")
    found.pages = list(dict.fromkeys(found.pages)) or list(PAGES)
    return found


def write_page(name: str, results: Path, into: Path) -> None:
    """Write a page from the kept results."""
    made = pages.text_of(name, importlib.import_module(name), pages.Kept(results / name))
    (into / f"{name}.md").write_text(str(made), encoding="utf-8")
    for picture, drawing in made.pictures.items():
        (into / picture).parent.mkdir(parents=True, exist_ok=True)
        (into / picture).write_text(drawing, encoding="utf-8")


def first_line(*words: str | Path) -> str:
    """The first line that a command prints."""
    try:
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return (ended.stdout.splitlines() or ["unknown"])[0]


def machine(build: Path) -> dict[str, Any]:
    """Of steps.json, for pages without results of the benchmarks."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return {
        "cpu": next(models, platform.machine()),
        "cores": cores(),
        "mpi": first_line("mpirun", "--version"),
        "combench": first_line(build / "ccmod", "--version"),
    }


def cores() -> int:
    return len(os.sched_getaffinity(0))


def dry_run(names: list[str], place: measuring.Place) -> int:
    seconds = 0.0
    for name in names:
        for step in importlib.import_module(name).steps(cores()):
            seconds += step.seconds
            print(f"# {name}: {step.name}, about {duration(step.seconds)}")
            print(place.plain(" ".join(place.words(step))))
    print(f"# in all about {duration(seconds)}")
    return 0


def measure_pages(names: list[str], build: Path, results: Path, into: Path) -> int:
    """Measure and write each page; whether all steps succeeded."""
    wanted = {name: importlib.import_module(name).steps(cores()) for name in names}
    progress = Progress(sys.stderr, ((step.kind, step.seconds) for steps in wanted.values() for step in steps))
    status = 0
    for name, steps in wanted.items():
        place = measuring.Place(TOP, build, build / "reproduce" / name)
        started, clock = measuring.began()
        print(f"{name}: {len(steps)} steps, about {duration(sum(one.seconds for one in steps))}", file=sys.stderr)
        entries = measuring.measure(steps, place, progress)
        measuring.record(name, entries, started, measuring.began()[1] - clock, place, machine(build))
        failed = [one["name"] for one in entries if measuring.has_failed(one)]
        status = 1 if failed else status
        if len(failed) == len(entries):
            print(f"{name}: nothing was measured (output in {place.work}); the kept results stay", file=sys.stderr)
            continue
        measuring.replace(results / name, place)
        write_page(name, results, into)
        what = f"not measured: {pages.joined(failed)} (output in {place.work})" if failed else "all measured"
        print(f"{name}: {what}; wrote {into / name}.md", file=sys.stderr)
    return status


def main(words: list[str]) -> int:
    found = arguments(words)
    build = Path(os.environ.get("CB_BUILD") or TOP / "build").resolve()
    if found.tables:
        for name in found.pages:
            write_page(name, found.results, found.into)
        return 0
    if found.dry_run:
        return dry_run(found.pages, measuring.Place(TOP, build, build / "reproduce"))
    (build / "reproduce").mkdir(parents=True, exist_ok=True)
    with (build / "reproduce.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"scripts/reproduce: another one is measuring in {build}; wait for it", file=sys.stderr)
            return 2
        if subprocess.run([TOP / "scripts/build", build], stdout=sys.stderr, check=False).returncode:
            print(f"scripts/reproduce: cannot build in {build}; see above", file=sys.stderr)
            return 2
        try:
            return measure_pages(found.pages, build, found.results, found.into)
        except (measuring.Interrupted, KeyboardInterrupt) as cause:
            print(f"\nscripts/reproduce: interrupted ({cause}); the kept results are as before", file=sys.stderr)
            return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
