"""The page ccmod.md: S. Papaefstathiou, "Predicting Communications Bottlenecks" (CCMOD)."""

from __future__ import annotations

import statistics
from typing import Any, Callable

from ccmod_drawings import NODES, GROUPS, cell_place, messages_on_links, times_and_lines
from page import Json, Kept, Missing, Page, Row, figure, number, ratio, value
from steps import Step, shell, start

TITLE = "Predicting communications bottlenecks: the article and what is computed here"

# The article's switch and mode. Its fitted line is lost; of this one T_quiet(1000 bytes) is the article's.
ARTICLE = "--network myrinet --mode paper --overhead-us 10.9 --latency-us 18 --bandwidth-MBps 50"

# Figure 3: Open MPI sends messages up to some 4 KB at once, larger ones in parts.
PACKET = 4000
SIZES = (16, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, PACKET)
LARGER = (6144, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768)
FITS = {
    "one-plain": "--fit plain --segments 1",
    "two-plain": f"--fit plain --packet-bytes {PACKET}",
    "one-relative": "--segments 1",
    "two-relative": f"--packet-bytes {PACKET}",
}

RANKS, STEPS = 16, 100  # of LAMMPS
BACKGROUND = "7000/25000packets/s"  # listing 7: those of others, those that a link carries
KNEE_BACKGROUND = 0.3
SEEDS = range(1, 6)  # of drawn loads
CLIENTS, REQUESTS = 15, 2000  # of docs/examples/requests.cct
GAPS_US = (4000, 2000, 1500, 1000)

TESTBED = '"$top/scripts/testbed" --rate 5mbit --delay 50us --queue 64MB'
TESTBED_SIZES = "0,64,256,1024,1400,1500,2048,4096,8192,16384"
TESTBED_HOSTS = 4  # of LAMMPS
RULES = (
    (
        "paper",
        "bottleneck",
        "the article's model",
        "it stretches the start-up too, so a node that exchanges with many at a time is predicted far too"
        " slow",
    ),
    (
        "split",
        "bottleneck",
        "start-up not stretched",
        "packets of a switch take turns; equal shares of a link end all messages late",
    ),
    (
        "split",
        "fifo",
        "packets served in order of arrival",
        "what remains is the work of cores that play several hosts, and TCP",
    ),
)

_NEEDS_LAMMPS = """\
command -v lmp >/dev/null || { echo "package lammps is not installed (apt-get install lammps)"; exit 77; }
export OMP_NUM_THREADS=1
"""
_NEEDS_TRACE = (
    _NEEDS_LAMMPS
    + '[ -s "$work/lammps.cct" ] || { echo "error: LAMMPS was not traced, see step lammps"; exit 1; }\n'
)
_TESTBED_CALIBRATION = (
    '[ -s "$work/testbed-split.cal" ] ||'
    ' { echo "error: no calibration of the testbed, see step testbed-calibrate"; exit 1; }\n'
)


def _lammps(trace: str, side: int, steps: int) -> str:
    """Words that trace LAMMPS with 4 * side^3 atoms."""
    return (
        f'"$top/scripts/trace" "$work/{trace}.cct" lmp -in "$top/docs/examples/melt.lammps"'
        " -log none -screen none"
        f" -var x {side} -var y {side} -var z {side} -var steps {steps}"
    )


def _documents(words: str) -> str:
    return f'"$python" "$top/docs/reproduction/ccmod_documents.py" {words}\n'


def _run(options: str, document: str, trace: str) -> str:
    return f'"$build/ccmod" run {options} --format json --output "{document}" "{trace}"\n'


def _figures_of_a_switch() -> list[Step]:
    """Figures 2 and 3."""
    return [
        shell(
            "figure2",
            f'"$build/ccmod" signals {ARTICLE} --output "$work/signals.txt" "$top/docs/examples/two-messages.cct"\n'
            + _documents('signals "$work/signals.txt" "$keep/figure2.json"'),
            seconds=1,
        ),
        shell(
            "fits",
            "".join(
                f'"$build/ccmod" calibrate --residual-pct 1000 {options} --output "$work/{name}.cal"'
                ' "$keep/figure3.json"\n'
                for name, options in FITS.items()
            )
            + _documents(" ".join(['fits "$keep/fits.json"', *(f'"$work/{name}.cal"' for name in FITS)])),
            seconds=1,
        ),
    ]


def _figures_of_an_application() -> list[Step]:
    """Figures 5 and 6, background."""
    middle = (
        '"$python" -c \'import json, sys; end = json.load(open(sys.argv[1]))["end_us"]; '
        f'print(end / 2, end / 2 + end / {STEPS})\' "$keep/lammps.json"'
    )
    wavefront = '"$top/docs/examples/wavefront.cct"'
    return [
        shell(
            "lammps",
            _NEEDS_LAMMPS
            + f"COMBENCH_TRACE_CLOCK=cpu mpirun -q -np {RANKS} --oversubscribe {_lammps('lammps', 20, STEPS)}\n"
            + _documents('trace "$work/lammps.cct" "$keep/lammps-trace.json"')
            + _run(ARTICLE, "$keep/lammps.json", "$work/lammps.cct"),
            seconds=10,
        ),
        shell(
            "figure5",
            _NEEDS_TRACE
            + 'cd "$work"\n'
            + "".join(
                f'"$build/ccmod" knee {ARTICLE} --background {KNEE_BACKGROUND} --format {form}'
                f' --output "$keep/figure5.{form}" lammps.cct\n'
                for form in ("json", "svg")
            ),
            seconds=2,
        ),
        shell(
            "wavefront",
            f'"$build/ccmod" knee {ARTICLE} --background {KNEE_BACKGROUND} --format json'
            f' --output "$keep/wavefront.json" {wavefront}\n',
            seconds=1,
        ),
        shell(
            "figure6",
            _NEEDS_TRACE
            + f"window=$({middle})\n"
            + f'cd "$work"\n"$build/ccmod" timeline {ARTICLE} --format svg --from-us "${{window% *}}"'
            ' --to-us "${window#* }" --output "$keep/figure6.svg" lammps.cct\n',
            seconds=1,
        ),
        shell(
            "background",
            _NEEDS_TRACE
            + _run(
                f"{ARTICLE} --background best-average-worst:{BACKGROUND}",
                "$keep/background.json",
                "$work/lammps.cct",
            )
            + "".join(
                _run(
                    f"{ARTICLE} --background exp:{BACKGROUND} --background-interval evaluation --seed {seed}",
                    f"$keep/background-drawn-{seed}.json",
                    "$work/lammps.cct",
                )
                for seed in SEEDS
            ),
            seconds=2,
        ),
    ]


def _workloads() -> list[Step]:
    """Requests, and the speed of the evaluation."""
    found = [
        shell(
            f"requests-{gap}",
            f'sed "s/exp(2000)/exp({gap})/" "$top/docs/examples/requests.cct" >"$work/requests.cct"\n'
            + _run(ARTICLE, f"$keep/requests-{gap}.json", "$work/requests.cct"),
            seconds=1,
        )
        for gap in GAPS_US
    ]
    return [
        *found,
        shell(
            "speed-wavefront",
            'sed "s/^@ 2 /@ 1000 /" "$top/docs/examples/wavefront.cct" >"$work/wavefront.cct"\n'
            + _documents(f'speed "$build/ccmod" "$keep/speed-wavefront.json" {ARTICLE} "$work/wavefront.cct"'),
            seconds=10,
        ),
        shell(
            "speed-lammps",
            _NEEDS_TRACE
            + _documents(f'speed "$build/ccmod" "$keep/speed-lammps.json" {ARTICLE} "$work/lammps.cct"'),
            seconds=3,
        ),
    ]


def _accuracy(cores: int) -> list[Step]:
    """Predictions beside measurements: on this machine, on the testbed."""
    calibrate = '"$build/cb_calibrate" --sizes'
    rules = "".join(
        f'"$python" "$top/scripts/combench" validate "$work/regular" --calibration "$work/testbed-{mode}.cal"'
        f' --mode {mode} --share {share} --output "$keep/validation-{mode}-{share}.json"\n'
        for mode, share, *_ in RULES
    )
    placed = "--bind-to core" if cores >= 2 else "--oversubscribe"
    return [
        shell(
            "here",
            _NEEDS_LAMMPS
            + f"mpirun -q -np 2 {placed} {calibrate} 0,64,256,1024,4000,8192,16384,65536,262144 --max-time 0.5"
            ' --output "$keep/here-calibrate.json"\n'
            '"$build/ccmod" calibrate --residual-pct 1000 --eager-bytes 4KiB --output "$work/here.cal"'
            ' "$keep/here-calibrate.json"\n'
            f"mpirun -q -np 2 {placed} {_lammps('here', 20, STEPS)}\n"
            + _documents('trace "$work/here.cct" "$keep/here-trace.json"')
            + _run('--calibration "$work/here.cal"', "$keep/here.json", "$work/here.cct"),
            seconds=40,
        ),
        shell(
            "testbed-calibrate",
            f'{TESTBED} --hosts 3 -- mpirun -q -np 3 {calibrate} {TESTBED_SIZES} --technology tcp --wait block'
            ' --max-time 2 --output "$keep/testbed-calibrate.json"\n'
            + "".join(
                f'"$build/ccmod" calibrate --mode {mode} --packet-bytes 1440 --residual-pct 1000'
                f' --output "$work/testbed-{mode}.cal" "$keep/testbed-calibrate.json"\n'
                for mode in ("paper", "split")
            ),
            seconds=130,
        ),
        shell(
            "validation",
            _TESTBED_CALIBRATION
            + f'{TESTBED} --hosts 9 -- "$python" "$top/scripts/combench" run "$top/docs/examples/regular.plan"'
            ' --output "$work/regular"\n' + rules,
            seconds=90,
        ),
        shell(
            "testbed-lammps",
            _NEEDS_LAMMPS
            + _TESTBED_CALIBRATION
            + f"COMBENCH_TRACE_CLOCK=cpu mpirun -q -np {TESTBED_HOSTS} --oversubscribe {_lammps('alone', 10, 20)}\n"
            + "export OMPI_MCA_mpi_yield_when_idle=1\n"
            + f"{TESTBED} --hosts {TESTBED_HOSTS} -- mpirun -q -np {TESTBED_HOSTS} {_lammps('hosts', 10, 20)}\n"
            + _documents('trace "$work/hosts.cct" "$keep/testbed-lammps-trace.json"')
            + "".join(
                _run(
                    f'--calibration "$work/testbed-{mode}.cal" --mode {mode} --share {share}',
                    f"$keep/testbed-lammps-{mode}-{share}.json",
                    "$work/alone.cct",
                )
                for mode, share, *_ in RULES
            ),
            seconds=30,
        ),
    ]


def steps(cores: int) -> list[Step]:
    sizes = ",".join(str(size) for size in (*SIZES, *LARGER))
    options = ("--mode", "pingpong", "--sizes", sizes, "--max-time", "1")
    points = start("figure3", cores, 2, "cb_oneway", *options, seconds=35)
    return [points, *_figures_of_a_switch(), *_figures_of_an_application(), *_workloads(), *_accuracy(cores)]


# The page.


def _document(kept: Kept, name: str) -> Row:
    """A document as a whole; if it is missing, the reason is that of the step that should have made it."""
    found = kept.document(name)
    for step in kept.run["steps"]:
        if isinstance(found, Missing) and step.get("reason") and name.startswith(step["name"]):
            return Missing(step["reason"])
    return found


# Figure 2.


def _array(cells: dict[str, Any]) -> str:
    """A routing or contention array as the article has it: a row for each direction, a column for each
    link."""
    rows = [["0"] * (NODES + GROUPS * GROUPS) for _ in range(2)]
    for cell, count in cells.items():
        column, row = cell_place(cell)
        rows[row][column] = f"{count:g}"
    return "\n".join("    " + " ".join(row[:NODES]) + "   " + " ".join(row[NODES:]) for row in rows)


def _command(page: Page, text: str) -> None:
    page.code(text.replace('"$build/', "").replace('"', ""))


def _figure_2(kept: Kept, page: Page) -> None:
    page.heading("Figure 2: two messages, one shared link")
    _command(page, f"ccmod signals {ARTICLE} docs/examples/two-messages.cct")
    found = _document(kept, "figure2")
    messages: list[Row] = found.get("messages") or [found, found]
    if not isinstance(found, Missing):
        page.picture(
            "results/ccmod/figure2.svg",
            "the links of two messages through the switch, with the number of messages on each",
            messages_on_links(found["contention"]),
        )
        text = [f"RA of {one.get('way')}\n{_array(dict.fromkeys(one['route'], 1))}" for one in messages]
        page.text(
            "The routing arrays of both messages and the contention array, their sum. Rows are directions,"
            " to the second level and from it; columns are the links of nodes 0 to 15, then of groups 0 to"
            " 3 to switches 1 to 4."
        )
        page.code("\n".join([*text, f"CA\n{_array(found['contention'])}"]), "text")
    largest = max((found.get("contention") or {"none": 0}).values())
    page.compare(
        [
            (
                "T_quiet of 1 KB",
                "48.9 us",
                figure(messages[0], "quiet_us", "us"),
                "the fitted line is lost with its picture; the line given here (28.9 us + bytes / 50"
                " MB/s) has this value at 1000 bytes; the seed's text reads msec where the microsecond's"
                " sign was lost",
            ),
            (
                "messages on the shared link",
                "2",
                f"{largest:.0f}" if largest else str(found),
                "none; which switch of the second level is taken depends on a random map, here of seed 1",
            ),
            ("bandwidth availability of both", "0.5", _both(messages, "availability", ""), "none"),
            ("delay of both", "97.8 us", _both(messages, "cost_us", "us"), "none"),
        ]
    )


def _both(messages: list[Row], key: str, unit: str) -> str:
    texts = list(dict.fromkeys(figure(one, key, unit) for one in messages))
    return texts[0] if len(texts) == 1 else ", ".join(texts)


# Figure 3.


def _line_at(fit: Json) -> Callable[[float], float]:
    """The time of a size by a fit's lines."""

    def at(size: float) -> float:
        line = fit["lines"][-1 if size > PACKET else 0]
        return float(line["start_us"] + line["us_per_byte"] * size)

    return at


def _lines_and_error(fits: Row, name: str) -> str:
    """The lines of a fit and the mean of its errors."""
    fit = fits.get(name)
    if not fit:
        return str(fits)
    lines = [f"{number(one['start_us'])} us + bytes x {number(1000 * one['us_per_byte'])} ns" for one in fit["lines"]]
    error = statistics.fmean(abs(point["error_pct"]) for point in fit["points"])
    return f"{'; above, '.join(lines)}; {number(error)} %"


def _measured(fits: Row) -> str:
    fit = fits.get("one-plain")
    if not fit:
        return str(fits)
    first, *_, last = fit["points"]
    out = f"; {fit['left_out']:.0f} sizes with too wide an interval are left out" if fit["left_out"] else ""
    return f"{number(first['us'])} us at {first['size_bytes']:.0f} bytes to {number(last['us'])} us at {last['size_bytes']:.0f}{out}"


def _figure_3(kept: Kept, page: Page) -> None:
    page.heading("Figure 3: measured times and lines")
    _command(
        page,
        "mpirun -np 2 cb_oneway --mode pingpong --sizes 16,256,512,... --output figure3.json\n"
        + "\n".join(f"ccmod calibrate {options} figure3.json" for options in FITS.values()),
    )
    fits = _document(kept, "fits")
    if not isinstance(fits, Missing):
        one, two = fits["one-plain"], fits["two-plain"]
        points = [(float(point["size_bytes"]), float(point["us"])) for point in one["points"]]
        page.picture(
            "results/ccmod/figure3.svg",
            "time of a message against its size, with one line and with two",
            times_and_lines(points, _line_at(one), _line_at(two), PACKET),
        )
    page.compare(
        [
            (
                "measurements",
                "a ping-pong over Myrinet, halved; a picture without numbers",
                _measured(fits),
                "Open MPI over the shared memory of one host: the same method on a faster network",
            ),
            (
                "one line by listing 2; its mean error",
                "drawn",
                _lines_and_error(fits, "one-plain"),
                "the listing weighs all residuals alike, so large messages decide and small ones are"
                " missed",
            ),
            (
                "two lines, up to a packet and above; mean error",
                "advisable; the packet has 2020 bytes",
                _lines_and_error(fits, "two-plain"),
                f"the break is at {PACKET} bytes, above which Open MPI sends a message in parts",
            ),
            (
                "one line by relative residuals",
                "not in the article",
                _lines_and_error(fits, "one-relative"),
                "the default of `ccmod calibrate`: small messages count as much as large ones",
            ),
            (
                "two lines by relative residuals",
                "not in the article",
                _lines_and_error(fits, "two-relative"),
                "the default of `ccmod calibrate --packet-bytes`",
            ),
        ]
    )


# Figures 5 and 6.


def _curve(document: Row, index: int) -> Row:
    curves = document.get("curves")
    return curves[index] if curves else document


def _knee_row(kept: Kept, name: str, what: str, difference: str) -> tuple[str, str, str, str]:
    document = _document(kept, name)
    quiet, loaded = _curve(document, 0), _curve(document, 1)
    here = str(document)
    if not isinstance(document, Missing):
        here = (
            f"knee {figure(quiet, 'capacity_Hz')} packets/s; with background"
            f" {figure(loaded, 'capacity_Hz')},"
            f" {ratio(loaded.get('capacity_Hz'), quiet.get('capacity_Hz'))} of it; the trace as it stands"
            f" offers {figure(quiet, 'own_offered_Hz')} and {figure(quiet, 'own_carried_Hz')} are carried"
        )
    return what, "two curves, with and without 30 % background; a picture without numbers", here, difference


def _figure_5(kept: Kept, page: Page) -> None:
    page.heading("Figure 5: knee capacity of the network")
    _command(
        page,
        f"COMBENCH_TRACE_CLOCK=cpu mpirun --oversubscribe -np {RANKS} scripts/trace lammps.cct \\\n"
        "    lmp -in docs/examples/melt.lammps -var x 20 -var y 20 -var z 20 -var steps 100\n"
        f"ccmod knee {ARTICLE} --background 0.3 --format svg --output figure5.svg lammps.cct",
    )
    trace = _document(kept, "lammps-trace")
    if not isinstance(_document(kept, "figure5"), Missing):
        page.picture("results/ccmod/figure5.svg", "carried against offered packets/s on the busiest link")
    content = str(trace)
    if not isinstance(trace, Missing):
        content = (
            f"LAMMPS: {trace['ranks']:.0f} ranks, {trace['messages']:.0f} messages of"
            f" {number(trace['sent_bytes'] / trace['messages'])} bytes on average,"
            f" {figure(trace, 'compute_us', 'ms', 1e-3)} of computing per rank"
        )
    page.compare(
        [
            (
                "workload",
                "Sweep3D on a cluster of 16 PCs, traced",
                content,
                "Sweep3D is not in Debian; LAMMPS computes a melt of 32,000 atoms; the ranks share cores,"
                " so their processor time is recorded and not the time between calls",
            ),
            _knee_row(
                kept,
                "figure5",
                "knee of the traced application",
                "computing on today's processors takes so little that the trace offers more than this"
                " network of 2001 carries",
            ),
            _knee_row(
                kept,
                "wavefront",
                "knee of a wavefront like Sweep3D's (docs/examples/wavefront.cct)",
                "written by hand as the article's functional prototypes are: 4 x 4 ranks, blocks of 400"
                " us, messages of 3000 bytes",
            ),
        ]
    )


def _share_of_time(document: Row, key: str) -> str:
    """The part of all processors' time, in per cent."""
    processors = document.get("processors")
    if not processors:
        return str(document)
    total = sum(one["clock_us"] for one in processors)
    return number(100 * sum(one[key] for one in processors) / total)


def _figure_6(kept: Kept, page: Page) -> None:
    page.heading("Figure 6: space-time diagram")
    _command(page, f"ccmod timeline {ARTICLE} --format svg --from-us T --to-us T --output figure6.svg lammps.cct")
    document = _document(kept, "lammps")
    here = str(document)
    if not isinstance(document, Missing):
        page.picture("results/ccmod/figure6.svg", "one time step of LAMMPS on sixteen ranks")
        parts = [f"{_share_of_time(document, f'{key}_us')} % {key}" for key in ("compute", "send", "receive", "wait")]
        here = f"{', '.join(parts)}; the end is predicted at {figure(document, 'end_us', 'ms', 1e-3)}"
    page.compare(
        [
            (
                "what each processor does",
                "idle, send, receive, wait, and lines for messages; a picture without numbers",
                here,
                "the picture has one time step from the middle of the run; the shares are of all"
                " processors' time",
            )
        ]
    )


# Background, requests.


def _case(document: Row, name: str) -> Row:
    return next((one for one in document.get("cases") or [] if one["case"] == name), document)


def _background(kept: Kept, page: Page) -> None:
    page.heading("Background load: best, average and worst case")
    _command(page, f"ccmod run {ARTICLE} --background best-average-worst:{BACKGROUND} lammps.cct")
    document = _document(kept, "background")
    rows = [
        (
            "best case: no load",
            "advised, no figures",
            _ended(_case(document, "best")),
            "the article advises three predictions and shows none",
        ),
        (
            "average case",
            "7000 of 25,000 packets/s in listing 7",
            _ended(_case(document, "average")),
            "the same load, 0.28, on each link and in each direction",
        ),
        (
            "worst case",
            "advised, no figures",
            _ended(_case(document, "worst")),
            "the load that the exponential distribution exceeds in 5 % of all cases",
        ),
        (
            "drawn loads",
            "exponential, drawn for each link and direction",
            _drawn(kept),
            "drawn at each evaluation as in listing 7, and cut at 0.99 instead of 1, at which a message"
            " would never end",
        ),
    ]
    page.compare(rows, "end of the traced application")


def _drawn(kept: Kept) -> str:
    documents = [_document(kept, f"background-drawn-{seed}") for seed in SEEDS]
    ends = [value(one, "end_us") for one in documents]
    known = [1e-3 * end for end in ends if end is not None]
    if len(known) < len(ends):
        return next(str(one) for one in documents if isinstance(one, Missing))
    return f"{number(min(known))} to {number(max(known))} ms in {len(known)} runs"


def _ended(case: Row) -> str:
    text = figure(case, "end_us", "ms", 1e-3)
    return text if isinstance(case, Missing) else f"{text}, load {figure(case, 'background_load')}"


def _requests(kept: Kept, page: Page) -> None:
    page.heading("A workload driven by requests")
    _command(page, f"ccmod run {ARTICLE} docs/examples/requests.cct")
    page.text(
        f"{CLIENTS} clients issue requests at exponential intervals; a server works on each for a random"
        " time of 40 us on average and answers with 4 KiB. The article describes such a workload and gives"
        " no figures."
    )
    rows = []
    for gap in GAPS_US:
        document = _document(kept, f"requests-{gap}")
        rows.append([number(1e6 * CLIENTS / gap), "described", *_served(document)])
    page.table(["offered requests/s", "seed", "here: answered/s", "here: server computes", "here: limited by"], rows)
    page.text(
        "Difference: the article has no figures of such a workload; answers go to clients in turn, since a"
        " record of a trace cannot name the sender of the last request. A"
        " server whose link or processor is used for 99 % or more is the limit; elsewhere less is"
        " answered than offered because the run ends with the slowest client."
    )


def _served(document: Row) -> list[str]:
    if isinstance(document, Missing):
        return [str(document)] * 3
    server = document["processors"][0]
    rate = 1e6 * CLIENTS * REQUESTS / document["end_us"]
    busiest = max(document["links"], key=lambda link: link["utilisation"])
    link = f"{busiest['name']}, {busiest['direction']}: used for {number(100 * busiest['utilisation'])} %"
    return [number(rate), f"{number(100 * server['compute_us'] / server['clock_us'])} % of the time", link]


# Claims.


def _error_pct(predicted: float | None, measured: float | None) -> str:
    if predicted is None or not measured:
        return str(Missing("one of the two times is missing"))
    return f"{100 * (predicted - measured) / measured:+.1f} %"


def _here(kept: Kept) -> str:
    trace, model = _document(kept, "here-trace"), _document(kept, "here")
    for one in (trace, model):
        if isinstance(one, Missing):
            return str(one)
    processors = model.get("processors")
    predicted = statistics.fmean(one["clock_us"] - one["compute_us"] for one in processors)
    return (
        f"{figure(model, 'end_us', 'ms', 1e-3)} predicted, {figure(trace, 'clock_us', 'ms', 1e-3)}"
        f" measured: {_error_pct(value(model, 'end_us'), value(trace, 'clock_us'))}; of the communication"
        f" alone {_error_pct(predicted, value(trace, 'communication_us'))}"
    )


def _testbed_lammps(kept: Kept, mode: str, share: str) -> str:
    trace, model = _document(kept, "testbed-lammps-trace"), _document(kept, f"testbed-lammps-{mode}-{share}")
    for one in (trace, model):
        if isinstance(one, Missing):
            return str(one)
    return (
        f"{figure(model, 'end_us', 'ms', 1e-3)} predicted, {figure(trace, 'clock_us', 'ms', 1e-3)}"
        f" measured: {_error_pct(value(model, 'end_us'), value(trace, 'clock_us'))}"
    )


def _validation(kept: Kept, mode: str, share: str) -> str:
    document = _document(kept, f"validation-{mode}-{share}")
    if isinstance(document, Missing):
        return str(document)
    found = document["summary"]
    worst = found["worst"]
    return (
        f"{found['rows']:.0f} measurements: median {figure(found, 'median_error_pct', '%')}, worst"
        f" {figure(found, 'worst_error_pct', '%')} ({worst['benchmark']}, {worst['what']})"
    )


def _millions(row: Row, key: str) -> str:
    return figure(row, key, "million", 1e-6)


def _claims(kept: Kept, page: Page) -> None:
    page.heading("Speed and accuracy")
    page.text(
        "Regular patterns: five benchmarks on 2 to 9 hosts of a [testbed](../using/testbed.md), one switch"
        " with ports of 5 Mbit/s, over TCP, with 500 and 3000 bytes (docs/examples/regular.plan). The"
        " calibration is of 3 hosts and other sizes. LAMMPS on hosts of the testbed is predicted from a"
        " trace that was recorded without it."
    )
    speed = [(name, _document(kept, f"speed-{name}")) for name in ("lammps", "wavefront")]
    rows = [
        (
            f"speed, {'traced application' if name == 'lammps' else 'wavefronts'}",
            "130,000 traces (records) per second on a Pentium III of 450 MHz",
            f"{_millions(one, f'{name}.records_per_s')} records/s,"
            f" {_millions(one, f'{name}.messages_per_s')} messages/s"
            if not isinstance(one, Missing)
            else str(one),
            "processor time of `ccmod run` in mode paper, with the reading of the trace; another"
            " processor and other algorithms",
        )
        for name, one in speed
    ]
    rows += [
        (
            f"error on regular patterns, {text} (`--mode {mode} --share {share}`)",
            "below 20 % (Myrinet, regular communication)",
            _validation(kept, mode, share),
            difference,
        )
        for mode, share, text, difference in RULES
    ]
    rows.append(
        (
            "error on an application: LAMMPS, a core for each of 2 ranks",
            "below 20 %",
            _here(kept),
            "computing is taken from the trace of the same run, so the total errs less than the"
            " communication; waiting for a rank whose core another program holds counts as communication",
        )
    )
    rows += [
        (
            f"error on an application: LAMMPS, {TESTBED_HOSTS} hosts (`--mode {mode} --share {share}`)",
            "below 20 %",
            _testbed_lammps(kept, mode, share),
            "the calibration is of the technology tcp, not of Open MPI over TCP; the hosts share cores, and"
            " their ranks yield while they wait",
        )
        for mode, share, *_ in RULES
    ]
    page.compare(rows, "claim")


PLACES = (
    (
        "example 1, listing 1: routing array, contention array",
        "`--network myrinet`; `ccmod signals`: NEWSCOM, SYSCONT, MSGCONT",
    ),
    (
        "example 2: workload traces",
        "[trace format](../reference/trace-format.md); [tracer](../reference/tracer.md)",
    ),
    (
        "example 3, listing 2: T_quiet, its fit, bandwidth availability, delay",
        "`ccmod calibrate --mode paper`; `ccmod run --mode paper`",
    ),
    (
        "example 4: event horizons",
        "`ccmod signals`: EVENTHORIZON, UPPR_PCNS; steps of the [model](../reference/model.md)",
    ),
    (
        "figure 4, listings 3, 4, 5: classes workload, netsys, otrace",
        "[libccmod](../reference/model.md#the-library): workload.h, network.h, signals.h",
    ),
    ("listing 6: a program that evaluates a trace", "`ccmod run --signals FILE`"),
    (
        "listing 7: exponential background",
        f"`--background exp:{BACKGROUND} --background-interval evaluation`",
    ),
)


def write(kept: Kept, page: Page) -> None:
    page.text(
        "The article: S. Papaefstathiou, *Predicting Communications Bottlenecks*, Dr. Dobb's Journal,"
        " April 2001. Its formulas and figures were pictures of which only the text remains."
        " [model](../reference/model.md) describes the model. The traced application is LAMMPS: `apt-get"
        " install lammps`; without it its cells say so."
    )
    page.table(["of the article", "where it is here"], PLACES)
    _figure_2(kept, page)
    _figure_3(kept, page)
    _figure_5(kept, page)
    _figure_6(kept, page)
    _background(kept, page)
    _requests(kept, page)
    _claims(kept, page)
