#!/usr/bin/python3
"""Print what the structure of the C sources costs: sizes, one-call helpers, circles, where names stand.

    tests/house/structure.py [TREE]

A module is a .c file with its header. A circle is a group of modules that reach each other, by their
#include lines or by the functions and types that they use. Definitions are found by the project's form
(clang-format): a function's name begins its line or follows its type, and its body starts at column 0.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = ("src", "tools", "benchmarks")
SMALL_LINES = 60

_BLANK = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
_FUNCTION = re.compile(r"^(?!typedef|#|\s)([^;{}()=\n][^;{}=]*?)\b([a-z_]\w*)\s*\(([^;{}]*)\)\s*\n\{", re.M)
_TYPEDEF = re.compile(r"^typedef\b[^;{]*?(?:\{.*?^\})?[^;{}]*?\b(\w+)(?:\[\w*\])?;", re.M | re.S)
_FUNCTION_TYPEDEF = re.compile(r"^typedef[^;{]*\(\*(\w+)\)", re.M)
_TAG = re.compile(r"^(?:struct|union|enum)\s+(\w+)\s*\{", re.M)
_PROTOTYPE = re.compile(r"^(?!typedef|static|#|\s)[^;{}()=\n][^;{}=]*?\([^;{}]*\)[^;{}()=]*(?:\([^;{}]*\))*;", re.M)
_DECLARED = re.compile(r"\b(\w+)\s*\(")
_OPAQUE = re.compile(r"^typedef (?:struct|union) \w+ \*?\w+;", re.M)
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def code_of(text: str) -> str:
    """The text without comments and strings; #include lines keep theirs."""
    return _BLANK.sub(lambda found: "\n" * found.group().count("\n"), text)


class Tree:
    def __init__(self, top: Path) -> None:
        self.top = top
        self.all = sorted(path.relative_to(top).as_posix() for folder in FOLDERS
                          for path in (top / folder).rglob("*") if path.is_file())
        self.text = {name: (top / name).read_text(encoding="utf-8") for name in self.all if name.endswith((".c", ".h"))}
        self.code = {name: code_of(text) for name, text in self.text.items()}

    def module(self, name: str) -> str:
        return name.rsplit(".", 1)[0]

    def header(self, name: str, included: str) -> str | None:
        for base in ("src/", "", "src/model/include/", str(Path(name).parent) + "/"):
            if base + included in self.text:
                return base + included
        return None

    def include_edges(self) -> dict[str, set[str]]:
        edges: dict[str, set[str]] = defaultdict(set)
        for name, text in self.text.items():
            for included in _INCLUDE.findall(text):
                target = self.header(name, included)
                if target is not None and self.module(target) != self.module(name):
                    edges[self.module(name)].add(self.module(target))
        return edges

    def use_edges(self) -> dict[str, set[str]]:
        owner: dict[str, set[str]] = defaultdict(set)
        for name, code in self.code.items():
            for head, function, _ in _FUNCTION.findall(code):
                if not (name.endswith(".c") and re.search(r"\bstatic\b", head)):
                    owner[function].add(self.module(name))
            if name.endswith(".h"):
                for pattern in (_TYPEDEF, _FUNCTION_TYPEDEF, _TAG):
                    for found in pattern.findall(code):
                        owner[found].add(self.module(name))
        single = {symbol: next(iter(modules)) for symbol, modules in owner.items()
                  if len(modules) == 1 and symbol not in ("main", "__attribute__")}
        edges: dict[str, set[str]] = defaultdict(set)
        for name, code in self.code.items():
            if name.endswith(".h"):
                code = _OPAQUE.sub("", _PROTOTYPE.sub("", code))
            for word in set(_WORD.findall(code)):
                target = single.get(word)
                if target is not None and target != self.module(name):
                    edges[self.module(name)].add(target)
        return edges

    def static_functions(self, folder: str | None = None) -> tuple[int, int, int]:
        """How many static functions there are in .c files; how many of them are used in one place only,
        and how many are called there, not named in a table or handed over."""
        count = used_once = called_once = 0
        for name, code in self.code.items():
            if not name.endswith(".c") or (folder is not None and folder_of(name) != folder):
                continue
            for head, function, _ in _FUNCTION.findall(code):
                if not re.search(r"\bstatic\b", head):
                    continue
                count += 1
                declared = len(re.findall(rf"^static[^;{{}}=]*\b{function}\([^;{{}}]*\);", code, re.M))
                uses = len(re.findall(rf"\b{function}\b", code)) - 1 - declared
                calls = len(re.findall(rf"\b{function}\(", code)) - 1 - declared
                used_once += uses <= 1
                called_once += uses <= 1 and calls == 1
        return count, used_once, called_once

    def shared_headers(self) -> dict[str, set[str]]:
        """Headers that declare functions of several .c files, and these files."""
        owner: dict[str, set[str]] = defaultdict(set)
        for name, code in self.code.items():
            if name.endswith(".c"):
                for head, function, _ in _FUNCTION.findall(code):
                    if not re.search(r"\bstatic\b", head):
                        owner[function].add(name)
        shared = {}
        for name, code in self.code.items():
            if name.endswith(".h"):
                declared = {found[1] for found in map(_DECLARED.search, _PROTOTYPE.findall(code)) if found}
                files = set().union(*(owner[function] for function in declared if len(owner.get(function, ())) == 1))
                if len(files) > 1:
                    shared[name] = files
        return shared


def folder_of(name: str) -> str:
    return name.rsplit("/", 1)[0]


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of more than one module that reach each other (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while True:
                group.append(stack.pop())
                if group[-1] == node:
                    break
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def mentions(tree: Tree, name: str) -> int:
    pattern = rf"(cb_)?{name}"
    done = subprocess.run(["git", "-C", str(tree.top), "grep", "-lwiE", pattern, "--", "src", "benchmarks", "tools",
                           "python", "scripts", "man", "packaging"], capture_output=True, text=True)
    return len(done.stdout.split())


def print_row(title: str, row: list[int]) -> None:
    files, lines, small, count, used_once, called_once = row
    share = 100 / max(count, 1)
    print(f"{title:32} {files:5} {lines:6} {small:4} {count:7} {share * used_once:7.0f} % {share * called_once:9.0f} %")


def main() -> int:
    tree = Tree(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    folders = sorted({folder_of(name) for name in tree.text})
    print(f"{'folder':32} files  lines  <{SMALL_LINES}  static  used once  called once")
    total = [0] * 6
    for folder in folders:
        mine = [name for name in tree.text if folder_of(name) == folder]
        lines = [tree.text[name].count("\n") for name in mine]
        statics = tree.static_functions(folder)
        row = [len(mine), sum(lines), sum(n < SMALL_LINES for n in lines), *statics]
        total = [a + b for a, b in zip(total, row)]
        print_row(folder, row)
    print_row("all", total)
    for title, edges in (("includes", tree.include_edges()), ("calls and types", tree.use_edges())):
        groups = circles(edges)
        print(f"\ncircles by {title}: {len(groups)}")
        for group in groups:
            print("  " + ", ".join(group))
    print("\nfiles that name a benchmark or a technology, outside of docs and tests:")
    benchmarks = sorted(Path(name).stem.removeprefix("cb_") for name in tree.all
                        if re.fullmatch(r"benchmarks/cb_\w+\.c", name))
    technologies = ["null", "mpi", "sci", "tcp", "udp", "ofi", "ucx", "rma"]
    print("  " + ", ".join(f"{name} {mentions(tree, name)}" for name in benchmarks))
    print("  " + ", ".join(f"{name} {mentions(tree, name)}" for name in technologies if name not in ("null",)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
