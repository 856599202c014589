#!/usr/bin/python3
"""The #include lines of the project keep to the rules of the project, and a line that does not is seen."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

import layering
import structure

SOURCE = Path(os.environ.get("srcdir", "."))

# A small house in which all is well.
TREE = {
    "src/base/log.h": "",
    "src/base/log.c": '#include "base/log.h"\n#include <stdio.h>\n',
    "src/stats/stats.h": "",
    "src/host/host.h": "",
    "src/host/topology.c": '#include "host/host.h"\n#include "base/log.h"\n#include <hwloc.h>\n',
    "src/control/control.h": "",
    "src/control/control_mpi.c": '#include "control/control.h"\n#include <mpi.h>\n',
    "src/transport/transport.h": '#include "base/log.h"\n',
    "src/transport/mpi/technology.c": "/* Foreign headers of this folder: mpi.h */\n",
    "src/transport/mpi/send.c": '#include "transport/transport.h"\n#include <mpi.h>\n',
    "src/transport/sci/sci.c": '#include "transport/transport.h"\n#include "sisci_api.h"\n',
    "src/transport/sci/technology.c": "/* The table.\n * Foreign headers of this folder: sisci_api.h, verbs.h */\n",
    "src/sisci/sisci_api.h": '#include "sisci_types.h"\n',
    "src/sisci/sisci_types.h": "",
    "src/sisci/map.c": '#include "sisci/sisci_api.h"\n',
    "tools/sisci-shm-clean.c": '#include "sisci/registry.h"\n',
    "src/sisci/registry.h": "",
    "src/report/report.h": "",
    "src/report/json.c": '#include "stats/stats.h"\n#include <jansson.h>\n',
    "src/model/include/ccmod/ccmod.h": "#include <stdio.h>\n#include <ccmod/base.h>\n",
    "src/model/include/ccmod/base.h": "",
    "src/model/networks/networks.h": "#include <ccmod/ccmod.h>\n",
    "src/model/sharing/traffic.h": '#include "model/networks/networks.h"\n',
    "src/model/evaluation/engine.h": '#include "model/sharing/traffic.h"\n#include "report/report.h"\n',
    "src/engine/traffic.h": '#include "transport/transport.h"\n',
    "src/farm/farm.h": '#include "engine/traffic.h"\n',
    "src/engine/session.h": '#include "control/control.h"\n#include "host/host.h"\n',
    "src/engine/program.c": '#include "config.h"\n#include "engine/session.h"\n',
    "src/timeline/timeline.h": "",
    "src/farm/farm.h": '#include "timeline/timeline.h"\n',
    "src/emit/emit.h": '#include "farm/farm.h"\n',
    "benchmarks/cb_oneway.c": '#include "engine/traffic.h"\n#include "base/log.h"\n',
    "tools/ccmod/main.c": "#include <ccmod/ccmod.h>\n",
    "tests/common/unit.h": "#include <check.h>\n",
    "tests/base/test_log.c": '#include "tests/common/unit.h"\n#include "engine/session.h"\n',
}

# A line that does not belong, and the file into which it is planted.
PLANTED = [
    ("src/base/log.c", '#include "stats/stats.h"'),
    ("src/sisci/sisci_api.h", '#include "base/log.h"'),
    ("src/stats/stats.h", '#include "report/report.h"'),
    ("src/host/host.h", '#include "control/control.h"'),
    ("src/control/control.h", '#include "transport/transport.h"'),
    ("src/transport/transport.h", '#include "control/control.h"'),
    ("src/transport/transport.h", "#include <sisci_api.h>"),
    ("src/transport/sci/sci.c", '#include "sisci/sisci_api.h"'),
    ("src/engine/traffic.h", '#include "sisci_types.h"'),
    ("src/engine/traffic.h", '#include "farm/farm.h"'),
    ("src/transport/transport.h", "#include <mpi.h>"),
    ("src/transport/sci/sci.c", "#include <mpi.h>"),
    ("src/transport/mpi/send.c", "#include <verbs.h>"),
    ("src/report/report.h", '#include "engine/traffic.h"'),
    ("src/model/include/ccmod/ccmod.h", '#include "base/log.h"'),
    ("src/model/include/ccmod/ccmod.h", '#include "base.h"'),
    ("src/model/include/ccmod/ccmod.h", "#include <ccmod/nothing.h>"),
    ("src/model/include/ccmod/ccmod.h", "#include <unistd.h>"),
    ("src/model/evaluation/engine.h", '#include "transport/transport.h"'),
    ("src/model/evaluation/engine.h", '#include "host/host.h"'),
    ("src/model/evaluation/engine.h", '#include "model/networks/networks.h"'),
    ("src/model/sharing/traffic.h", '#include "model/evaluation/engine.h"'),
    ("src/engine/traffic.h", "#include <ccmod/ccmod.h>"),
    ("src/engine/program.c", "#include <mpi.h>"),
    ("src/engine/program.c", '#include "farm/farm.h"'),
    ("src/farm/farm.h", '#include "emit/emit.h"'),
    ("src/timeline/timeline.h", '#include "farm/farm.h"'),
    ("src/engine/program.c", "  #  include <jansson.h>"),
    ("src/stats/stats.h", "#include <hwloc/linux.h>"),
    ("src/transport/transport.h", "#include <confuse.h>"),
    ("src/base/log.h", "#include <check.h>"),
    ("benchmarks/cb_oneway.c", '#include "control/control.h"'),
    ("benchmarks/cb_oneway.c", '#include "engine/session.h"'),
    ("benchmarks/cb_oneway.c", '#include "transport/mpi/internal.h"'),
    ("benchmarks/cb_oneway.c", '#include "tests/common/unit.h"'),
    ("tools/ccmod/main.c", '#include "engine/traffic.h"'),
    ("src/base/log.c", '#include "log.h"'),
    ("src/new/thing.c", "#include <stdio.h>"),
    ("src/thing.c", "#include <stdio.h>"),
]


def plant(tree: Path, name: str, line: str) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(f"{before}{line}\n", encoding="utf-8")


class Layering(unittest.TestCase):
    def house(self) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in TREE.items():
            plant(Path(folder.name), name, text)
        return Path(folder.name)

    def test_the_project_keeps_the_rules(self) -> None:
        self.assertEqual(layering.violations(SOURCE), [])

    def test_no_modules_of_the_project_are_in_a_circle(self) -> None:
        self.assertEqual(layering.circles(SOURCE), [])

    def test_no_modules_use_each_other_in_a_circle(self) -> None:
        self.assertEqual(structure.circles(structure.Tree(SOURCE).use_edges()), [])

    def test_a_circle_of_modules_is_found(self) -> None:
        tree = self.house()
        self.assertEqual(layering.circles(tree), [])
        plant(tree, "src/stats/stats.c", '#include "base/log.h"')
        plant(tree, "src/base/log.c", '#include "stats/stats.h"')
        self.assertEqual([line.split(":")[0] for line in layering.circles(tree)], ["src/base/log", "src/stats/stats"])

    def test_a_header_declares_the_functions_of_one_file(self) -> None:
        self.assertEqual(layering.shared(structure.Tree(SOURCE)), [])

    def test_a_header_of_several_files_is_found(self) -> None:
        tree = self.house()
        plant(tree, "src/base/log.h", "void log_one(int a);\nvoid log_other(int a);")
        plant(tree, "src/base/log.c", "void log_one(int a)\n{\n}")
        plant(tree, "src/base/other.c", "void log_other(int a)\n{\n}")
        found = layering.shared(structure.Tree(tree))
        self.assertEqual([line.split(":")[0] for line in found], ["src/base/log.h"])

    def test_the_project_was_read(self) -> None:
        read = [path for folder in layering.FOLDERS for path in (SOURCE / folder).rglob("*.c")]
        self.assertGreater(sum(len(list(layering.includes(path))) for path in read), 100)

    def test_a_house_in_order_has_no_violations(self) -> None:
        self.assertEqual(layering.violations(self.house()), [])

    def test_each_planted_line_is_the_one_violation(self) -> None:
        for name, line in PLANTED:
            with self.subTest(name=name, line=line):
                tree = self.house()
                plant(tree, name, line)
                found = layering.violations(tree)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:"), found[0])


if __name__ == "__main__":
    unittest.main()
