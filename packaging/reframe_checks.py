"""ReFrame tests of an installed combench (ReFrame 4 or later): one for each benchmark that takes sizes, with its
figures as performance variables.

    cd PREFIX/share/combench; reframe -C SITE.py -c . -r
    reframe ... -S num_tasks=17 -S sizes=64,1024 -n 'combench_check.*funnel'

The environment of the site must have combench and its MPI library loaded. The benchmarks, and which of
their figures are better higher or lower, come from benchmarks.json beside this file.

Not run by ReFrame yet, which was not at hand: a test of the project loads it with a stand-in.
"""

import json
import os
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_before, sanity_function, variable

_CATALOGUE = json.loads(Path(__file__).with_name("benchmarks.json").read_text(encoding="utf-8"))
_COLUMNS = {one["key"]: one for one in _CATALOGUE["columns"]}
_RESULT = "result.json"

# The value that stands for a column of several values.
_PARTS = {"summary": "median", "distribution": "p50"}


def _label(row):
    """What identifies a row within a document, as one word."""
    keys = (key for key, column in _COLUMNS.items() if column["identifies"])
    words = (str(row[key]) for key in keys if isinstance(row.get(key), (int, float, str)))
    return "_".join(words).replace(" ", "")


def figures(document):
    """{name: (value, unit)} of all rows of a result, for figures that are better higher or lower."""
    found = {}
    for row in document["results"]:
        for key, column in _COLUMNS.items():
            value = row.get(key)
            if isinstance(value, dict):
                value = value.get(_PARTS.get(column["type"]))
            if column["better"] != "neither" and isinstance(value, (int, float)):
                found[f"{key}_{_label(row)}"] = (value, column.get("unit", "1"))
    return found


@rfm.simple_test
class combench_check(rfm.RunOnlyRegressionTest):
    benchmark = parameter([one["name"] for one in _CATALOGUE["benchmarks"] if "sizes" in one["options"]])
    sizes = variable(str, value="64,1024")
    max_time_s = variable(float, value=1.5)
    technology = variable(str, value="mpi")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 17
    descr = "combench: a communication benchmark"

    @run_before("run")
    def set_command(self):
        described = next(one for one in _CATALOGUE["benchmarks"] if one["name"] == self.benchmark)
        self.executable = described["program"]
        self.executable_opts = [
            "--technology", self.technology, "--max-time", str(self.max_time_s), "--output", _RESULT,
            "--sizes", self.sizes,
        ]  # fmt: skip

    def _document(self):
        with open(os.path.join(self.stagedir, _RESULT), encoding="utf-8") as stream:
            return json.load(stream)

    @sanity_function
    def is_complete(self):
        document = self._document()
        return sn.all(
            [
                sn.assert_true(document["complete"], msg=document.get("reason", "not complete")),
                sn.assert_true(document["results"], msg="no row: " + str(document["skipped"])),
            ]
        )

    @run_before("performance")
    def set_figures(self):
        for name, (value, unit) in figures(self._document()).items():
            self.perf_variables[name] = sn.make_performance_function(sn.defer(value), unit)
