#!/usr/bin/python3
"""Who may include whom: the rules of the project, checked against the #include lines of a source tree.

Each folder has a row in the table of docs/development/architecture.md; a folder without one is an error, so
that a new one states its place. Its own headers a folder may always include. HEADERS names those that few
may include; a technology declares the headers of its library itself, by a comment in its folder:
"Foreign headers of this folder: verbs.h". No modules of src include each other in a circle. A header
declares the functions of one .c file, but for the private header of a folder, internal.h, and the faces
of SHARED.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import structure

ARCHITECTURE = Path(__file__).resolve().parents[2] / "docs/development/architecture.md"


def folders_and_headers() -> dict[str, tuple[str, ...]]:
    """For each folder the project's headers that it may include, by the beginning of the name: "base/" is all
    of base. Read from the table of folders in ARCHITECTURE; what is after a semicolon is in HEADERS below."""
    rows = re.findall(r"^\| ((?:src/|benchmarks|tools|tests)\S*) \| .* \| (.*) \|$",
                      ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    cells = {folder: may.split(";")[0] for folder, may in rows}
    found = {}
    for folder, cell in cells.items():
        names = cell.replace("engine and below", f"engine, {cells['src/engine']}").split(", ")
        found[f"{folder}/"] = tuple(name if name.endswith(".h") else f"{name}/" for name in names)
        if cell in ("nothing of the project", "all"):
            found[f"{folder}/"] = ("",) if cell == "all" else ()
    return found


MAY_INCLUDE = folders_and_headers()

# Headers, and by whom they may be included; no other file may.
HEADERS: dict[str, tuple[str, ...]] = {
    "mpi.h": ("src/control/", "src/bare/", "src/tracer/", "tests/"),
    "sisci_api.h": ("src/sisci/", "tools/", "tests/"),
    "sisci_error.h": ("src/sisci/", "tools/", "tests/"),
    "sisci_types.h": ("src/sisci/", "tools/", "tests/"),
    "hwloc.h": ("src/host/", "tests/"),
    "jansson.h": ("src/report/", "tests/"),
    "confuse.h": ("src/base/", "tests/"),
    "check.h": ("tests/",),
    "engine/session.h": ("src/engine/", "src/rate/", "src/farm/", "src/evb/", "src/linkmap/", "src/occupation/", "src/bare/", "src/parkbench/", "src/timeline/", "src/emit/", "src/replay/", "src/congest/", "src/world/", "tests/"),
    # ccmod/NAME.h, as an installed user includes them.
    "ccmod.h": ("src/model/", "src/replay/", "src/world/", "tools/ccmod/", "tests/"),
}

# The model's public headers: they need only each other and the C library.
PUBLIC = "src/model/include/"
C_LIBRARY = ("stdbool.h", "stddef.h", "stdint.h", "stdio.h")

# What a folder of the model may include of the others; a folder includes its own headers, too.
MODEL_FOLDERS: dict[str, tuple[str, ...]] = {
    "calibration/": (),
    "traces/": (),
    "networks/": (),
    "observers/": (),
    "sharing/": ("networks/networks.h", "observers/signals.h"),
    "evaluation/": ("sharing/",),
}


# Headers that declare what several .c files define: what a folder is for the others, or a program's parts
# for each other. A folder's private header is called internal.h and needs no entry.
SHARED = (
    "src/base/context.h",  # the configuration: its texts, and the settings made of them
    "src/base/options.h",  # a table of options is parsed by one file and described by another
    "src/control/control.h",
    "src/engine/traffic.h",  # all that a benchmark's step calls
    "src/farm/farm.h",
    "src/host/host.h",
    "src/model/include/ccmod/",
    "src/tracer/tracer.h",
    "src/transport/remote/remote.h",
    "src/transport/socket/socket.h",
    "src/transport/transport.h",
    "tools/ccmod/convert_forms.h",
    "tools/testbed/testbed.h",
)

FOLDERS = ("src", "benchmarks", "tools", "tests")
DECLARED = re.compile(r"Foreign headers of this folder: ([\w./, -]+\w)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line, name, and whether it stands in quotes, as the project's own headers do."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(2), found.group(1) == '"'


def row_of(name: str) -> str | None:
    """The row for a file of the tree."""
    return next((row for row in MAY_INCLUDE if name.startswith(row)), None)


def declared(tree: Path) -> dict[str, tuple[str, ...]]:
    """The folders of the technologies that declare a foreign header, by header."""
    folders: dict[str, tuple[str, ...]] = {}
    for path in sorted((tree / "src/transport").glob("*/*.[ch]")):
        for names in DECLARED.findall(path.read_text(encoding="utf-8")):
            folder = path.parent.relative_to(tree).as_posix() + "/"
            for name in names.replace(",", " ").split():
                folders[name] = (*folders.get(name, ()), folder)
    return folders


def reserved(header: str, declarations: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """By whom a header may be included, where not all may; hwloc/linux.h is as hwloc.h."""
    own = HEADERS.get(header, HEADERS.get(header.split("/")[0] + ".h"))
    if header not in declarations:
        return own
    return (*declarations[header], *(own or ("tests/",)))


def complaint(
    tree: Path, name: str, header: str, quoted: bool, declarations: dict[str, tuple[str, ...]]
) -> str | None:
    """What is wrong with the line by which the file `name` includes a header."""
    row = row_of(name) or ""
    by_whom = reserved(header, declarations)
    if name.startswith(PUBLIC):
        known = header.startswith("ccmod/") and (tree / PUBLIC / header).is_file()
        return None if known or header in C_LIBRARY else f"a public header may not include {header}"
    if by_whom is not None:
        return None if name.startswith(by_whom) else f"{header} is for {', '.join(by_whom)} only"
    if not quoted or header == "config.h":
        return None
    folder = next((folder for folder in MODEL_FOLDERS if name.startswith(f"src/model/{folder}")), None)
    if folder is not None and header.startswith("model/"):
        mine = tuple(f"model/{other}" for other in (folder, *MODEL_FOLDERS[folder]))
        if not header.startswith(mine):
            return f"may not include {header}"
    if (tree / "src" / header).is_file():
        own = row.removeprefix("src/")
        return None if header.startswith((own, *MAY_INCLUDE[row])) else f"may not include {header}"
    own_tool = row in ("tools/", "benchmarks/") and header.startswith(row)
    if (row == "tests/" or own_tool) and (tree / header).is_file():
        return None
    return f"there is no src/{header}; name our headers by their folder, and others in <>"


def violations(tree: Path) -> list[str]:
    found = []
    declarations = declared(tree)
    for folder in FOLDERS:
        for path in sorted((tree / folder).rglob("*.[ch]")):
            name = path.relative_to(tree).as_posix()
            if row_of(name) is None:
                found.append(f"{name}: its folder has no row in docs/development/architecture.md")
                continue
            for number, header, quoted in includes(path):
                text = complaint(tree, name, header, quoted, declarations)
                if text is not None:
                    found.append(f"{name}:{number}: {text}")
    return found


def circles(tree: Path) -> list[str]:
    """The modules of src that include each other in a circle; a .c file, its header and the private
    header that ends in _internal are one."""
    needs: dict[str, set[str]] = {}
    for path in (tree / "src").rglob("*.[ch]"):
        module = path.relative_to(tree / "src").with_suffix("").as_posix().removesuffix("_internal")
        headers = {header for _, header, _ in includes(path)}
        names = {header.removesuffix(".h").removesuffix("_internal") for header in headers}
        needs.setdefault(module, set()).update(names - {module})
    left = {module: names & needs.keys() for module, names in needs.items()}
    while free := {module for module, names in left.items() if not names & left.keys()}:
        left = {module: names for module, names in left.items() if module not in free}
    while free := set(left) - {name for names in left.values() for name in names}:
        left = {module: names for module, names in left.items() if module not in free}
    return [f"src/{module}: in a circle with {', '.join(sorted(left[module] & left.keys()))}" for module in sorted(left)]


def shared(tree: structure.Tree) -> list[str]:
    """Headers that declare functions of several .c files without being a face."""
    return [f"{name}: declares functions of {', '.join(sorted(files))}; give each its header"
            for name, files in sorted(tree.shared_headers().items())
            if not name.endswith("internal.h") and not name.startswith(SHARED)]


def main() -> int:
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = violations(tree) + circles(tree) + shared(structure.Tree(tree))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
