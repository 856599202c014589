"""The page sci.md: A. Bogaerts, "Implementation of the Message Passing Software Layer over SCI"."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from page import Kept, Missing, Page, Row, figure, joined, number, ratio, value
from steps import Step, shell, start

TITLE = "Message passing over SCI: the note and what is measured here"

# Table 1 of the note: bytes, MB/s, us.
TABLE_1 = (
    (8, 0.7, 15),
    (16, 1.4, 15),
    (32, 3.0, 15),
    (64, 6.0, 15),
    (128, 9.8, 18),
    (256, 18, 19),
    (512, 28, 23),
    (1024, 39, 29),
    (2048, 49, 43),
    (4096, 56, 70),
    (8192, 60, 125),
)
SIZES = ",".join(str(size) for size, _, _ in TABLE_1)
OUTSTANDING = (1, 4, 15)
LINE_BYTES = 64
SLOPE_FROM_BYTES = 128

NOTE = ("--config", "note")


@dataclass(frozen=True)
class Variant:
    """A column of the tables: a start of cb_oneway over these sizes."""

    name: str
    heading: str
    options: tuple[str, ...]


def _note(outstanding: int, pool: int) -> Variant:
    parameters = f"max_outst_buffers={outstanding},use_send_pool={pool}"
    where = "pool" if pool else "heap"
    heading = f"note, {outstanding} outstanding, {where}"
    return Variant(f"note-{outstanding}-{where}", heading, ("--technology", "sci", *NOTE, "--parameter", parameters))


def _default(outstanding: int, pool: int) -> Variant:
    parameters = f"max_outst_buffers={outstanding},use_send_pool={pool}"
    where = "pool" if pool else "heap"
    heading = f"default, {outstanding} outstanding, {where}"
    return Variant(f"default-{outstanding}-{where}", heading, ("--technology", "sci", "--parameter", parameters))


BY_NOTE = [_note(count, pool) for pool in (0, 1) for count in OUTSTANDING]
BY_DEFAULT = [_default(count, pool) for pool in (1, 0) for count in OUTSTANDING]
def _other(technology: str, method: str = "") -> Variant:
    if not method:
        return Variant(technology, technology, ("--technology", technology))
    options = ("--technology", technology, "--parameter", f"method={method}")
    return Variant(f"{technology}-{method}", f"{technology} {method}", options)


PLAIN = [_other(name) for name in ("tcp", "udp", "mpi")]
# Networks of today: libfabric and UCX, each by messages and by writes, and windows of MPI.
LATER = [_other("ofi", "message"), _other("ofi", "write"), _other("ucx", "am"), _other("ucx", "put"), _other("rma")]
OTHERS = [*PLAIN, *LATER]
FIRST, DEFAULT = BY_NOTE[0].name, BY_DEFAULT[2].name  # the note's own values; those of combench


def steps(cores: int) -> list[Step]:
    """Table 1 by all variants; groups, faults."""
    common = ("--sizes", SIZES, "--max-time", "0.8")
    found = [
        start(one.name, cores, 2, "cb_oneway", *one.options, *common, seconds=14)
        for one in (*BY_NOTE, *BY_DEFAULT, *OTHERS)
    ]
    group = ("--technology", "sci", "--sizes", "64,1024", "--max-time", "0.5")
    found += [
        start("multicast", cores, 5, "cb_multicast", *group, "--destinations", "4", "--list", "fixed", seconds=10),
        start("funnel", cores, 5, "cb_funnel", *group, "--sources", "4", "--mode", "free", seconds=10),
        shell(
            "faults",
            "SISCI_SHM_FAULTS=seed=3,drop=0.02,tear=0.02 mpirun -q -np 2 --oversubscribe"
            " \"$build/cb_oneway\" --technology sci --verify --sizes 64,1024 --max-time 0.5"
            " --output \"$keep/faults.json\"",
            seconds=10,
        ),
    ]
    found += [
        shell(
            f"threads-{count}",
            'mpirun -q -np 2 --bind-to none "$build/cb_pairs" --technology sci --processors 2 --sizes 64'
            f' --threads {count} --wait yield --max-time 0.5 --output "$keep/threads-{count}.json"',
            seconds=3,
        )
        for count in (1, 2)
    ]
    return found


def _cell(kept: Kept, variant: str, mode: str, size: int, interval: bool = False) -> str:
    row = kept.row(document=variant, mode=mode, size_bytes=size)
    return figure(row, "throughput_MBps" if mode == "stream" else "latency_us", interval=interval)


def _slope(latencies: list[tuple[int, float]]) -> float | None:
    """Microseconds for 64 bytes more, by least squares above 128 bytes."""
    points = [point for point in latencies if point[0] >= SLOPE_FROM_BYTES]
    if len(points) < 3:
        return None
    sizes, times = zip(*points)
    return statistics.linear_regression(sizes, times).slope * LINE_BYTES


def _slope_here(kept: Kept, variant: str) -> float | None:
    found = [
        (size, value(kept.row(document=variant, mode="pingpong", size_bytes=size), "latency_us"))
        for size, _, _ in TABLE_1
    ]
    return _slope([(size, time) for size, time in found if time is not None])


def _slope_text(kept: Kept, variant: str) -> str:
    slope = _slope_here(kept, variant)
    return f"{number(slope)} us" if slope is not None else str(Missing(kept.reason(document=variant)))


def _table_1(kept: Kept, page: Page) -> None:
    page.heading("Table 1: bandwidth and latency")
    page.text(
        "Bandwidth is that of a stream, latency half of a ping-pong, as in the note. \"note\" is"
        " the note's protocol with its default parameters, `--config note`: header notices, one"
        " outstanding buffer, an acknowledgement of each receive, multiples of 64 bytes, send"
        " buffers from the heap. \"default\" is what `--technology sci` does without a"
        " configuration: short messages travel inside their notification, up to 15 outstanding,"
        " buffers from a pool."
    )
    heads = ["bytes", "seed: MB/s", "here, note: MB/s", "here, default: MB/s"]
    heads += ["seed: us", "here, note: us", "here, default: us"]
    rows = []
    for size, bandwidth, latency in TABLE_1:
        row = [str(size), str(bandwidth), *(_cell(kept, one, "stream", size) for one in (FIRST, DEFAULT))]
        rows.append([*row, str(latency), *(_cell(kept, one, "pingpong", size, True) for one in (FIRST, DEFAULT))])
    page.table(heads, rows)
    first = kept.row(document=FIRST, mode="pingpong", size_bytes=8)
    page.text(
        "Difference: the note's machines were PCs of about 1999 with a Dolphin card on the PCI bus"
        " and an SCI ring between them; here the same protocol writes into the shared memory of"
        f" one host, whose latency at 8 bytes is {ratio(15, value(first, 'latency_us'))} times"
        " shorter, so the columns agree in form and not in size."
    )


def _variants(kept: Kept, page: Page) -> None:
    page.heading("Outstanding buffers, pool and heap")
    page.text("The seed has no figures by these parameters: it gives the defaults, one outstanding buffer and heap.")
    for mode, title in (("stream", "Bandwidth in MB/s"), ("pingpong", "Latency in us")):
        page.heading(title, 3)
        for variants in (BY_NOTE, BY_DEFAULT):
            rows = [
                [str(size), str(seed[mode == "pingpong"]), *(_cell(kept, one.name, mode, size) for one in variants)]
                for size, *seed in TABLE_1
            ]
            page.table(["bytes", "seed", *(f"here: {one.heading}" for one in variants)], rows)
    page.heading("Over other technologies")
    page.text(
        "The note's layer can use UDP or TCP instead of SCI (sections 3 and 10) and gives no"
        " figures of them. Here the same benchmark runs over both, through the loopback interface"
        " of one host, over MPI, and over what has taken the place of SCI: libfabric (`ofi`) and UCX"
        " (`ucx`), each by messages and by writes into announced buffers, and windows of MPI"
        " (`rma`), all through the shared memory of one host where the library has that."
    )
    for mode, title in (("stream", "Bandwidth in MB/s"), ("pingpong", "Latency in us")):
        page.heading(title, 3)
        for others in (PLAIN, LATER):
            rows = [
                [str(size), *(_cell(kept, one.name, mode, size) for one in others), _cell(kept, DEFAULT, mode, size)]
                for size, _, _ in TABLE_1
            ]
            page.table(["bytes", *(f"here: {one.heading}" for one in others), "here: sci, default"], rows)


def _slopes(kept: Kept, page: Page) -> None:
    page.heading("Latency per 64 bytes more, above 128 bytes")
    page.text("By least squares over the sizes of table 1 from 128 bytes on.")
    seed = f"about 1 us; {number(_slope([(size, one) for size, _, one in TABLE_1]) or 0)} us by table 1"
    rows = [
        [one.heading, seed if one in BY_NOTE else "none", _slope_text(kept, one.name)]
        for one in (*BY_NOTE, *BY_DEFAULT, *OTHERS)
    ]
    page.table(["protocol", "seed", "here"], rows)
    page.text(
        "Difference: a line of 64 bytes here is a copy within the caches of one host, and not a"
        " packet of SCI that has crossed two PCI buses."
    )


def _latency(kept: Kept, variant: str, size: int) -> Row:
    return kept.row(document=variant, mode="pingpong", size_bytes=size)


def _spread(kept: Kept, variant: str) -> str:
    """How far the latencies of up to a line differ."""
    found = [value(_latency(kept, variant, size), "latency_us") for size in (8, 16, 32, 64)]
    times = [time for time in found if time is not None]
    if len(times) < 4:
        return str(Missing(kept.reason(document=variant)))
    return f"{number(min(times))} to {number(max(times))} us"


def _rates(kept: Kept, above: Variant, below: Variant, size: int) -> str:
    """The ratio of two bandwidths."""
    rows = [kept.row(document=one.name, mode="stream", size_bytes=size) for one in (above, below)]
    return ratio(value(rows[0], "throughput_MBps"), value(rows[1], "throughput_MBps"))


def _gain(kept: Kept, size: int) -> str:
    """What 15 outstanding buffers bring to a stream of the note's protocol."""
    return _rates(kept, BY_NOTE[2], BY_NOTE[0], size)


def _round(kept: Kept, way: str) -> str:
    """A broadcast of 64 bytes."""
    row = kept.row(document="multicast", size_bytes=64, multicast=way, mode="stream")
    return figure(row, "round_us", "us")


def _fairness(kept: Kept) -> str:
    """The shares of sources that are not synchronised."""
    found = [kept.row(document="funnel", size_bytes=size, sources=4) for size in (64, 1024)]
    for row in found:
        if not isinstance(row, Missing) and row.get("shares"):
            shares = joined(number(100 * one) for one in row["shares"])
            return f"{row['size_bytes']} bytes: shares of four sources {shares} %"
    return str(found[0] if isinstance(found[0], Missing) else Missing("blocks were too short"))


def _threads(kept: Kept) -> str:
    """One sending thread beside two."""
    one, two = (
        kept.row(document=f"threads-{count}", size_bytes=64, requested="yield") for count in (1, 2)
    )
    if isinstance(one, Missing) or isinstance(two, Missing):
        return str(one if isinstance(one, Missing) else two)
    rates = " and ".join(figure(row, "frequency_Hz", "kHz", 1e-3) for row in (one, two))
    shares = joined(number(100 * share) for share in two.get("thread_shares", []))
    return f"64 bytes: {rates} with one and two threads" + (f", shares {shares} %" if shares else "")


def _claims(kept: Kept, page: Page) -> None:
    page.heading("What the text says")
    faults = kept.row(document="faults", mode="stream", size_bytes=64)
    verified = f"{figure(faults, 'verify.messages')} messages checked, {figure(faults, 'verify.corrupted')} corrupted"
    verified += f", {figure(faults, 'verify.lost')} lost, {figure(faults, 'verify.doubled')} doubled"
    page.compare(
        [
            (
                "latency up to 64 bytes (12)",
                "constant, 15 us",
                f"note: {_spread(kept, FIRST)}; default: {_spread(kept, DEFAULT)}",
                "the note's protocol transfers multiples of 64 bytes, the default up to 56 bytes"
                " within one line; what differs is the scatter of the measurement and the reading"
                " of the bytes",
            ),
            (
                "increase per 64 bytes above 128 bytes (12)",
                "about 1 us",
                f"note: {_slope_text(kept, FIRST)}; default: {_slope_text(kept, DEFAULT)}",
                "a copy within the memory of one host instead of the PCI bus and a link of SCI",
            ),
            (
                "several outstanding sends increase the efficiency (2)",
                "claimed without a figure",
                f"stream with 15 outstanding against 1: {_gain(kept, 64)} times at 64 bytes,"
                f" {_gain(kept, 8192)} at 8192",
                "acknowledgements here take a fraction of a microsecond, so there is less to hide"
                " than on a ring",
            ),
            (
                "send buffers from a pool or from the heap (4, 6)",
                "both are offered, heap is the default",
                "bandwidth with a pool against the heap, one outstanding:"
                f" {_rates(kept, BY_NOTE[3], BY_NOTE[0], 64)} times at 64 bytes,"
                f" {_rates(kept, BY_NOTE[3], BY_NOTE[0], 8192)} at 8192",
                "allocating and freeing a buffer takes tens of nanoseconds, and a pool returns the"
                " buffer that the cache still holds; the filling of buffers is not timed",
            ),
            (
                "transfers are retried until no errors occur (2, 7)",
                "claimed without a figure",
                f"with 2 % of the lines dropped and 2 % torn: {verified}",
                "the errors are injected by the software library, since shared memory makes none",
            ),
            (
                "several threads send concurrently, one receives (1, 7)",
                "described",
                _threads(kept),
                "three threads share the cores of one host, and a lock protects queues and buffers",
            ),
            (
                "a send to a group is a loop over its nodes (8)",
                "described",
                f"64 bytes to four: {_round(kept, 'loop')} by the loop,"
                f" {_round(kept, 'technology')} by a multicast segment",
                "five processes share the cores of one host",
            ),
            (
                "a receive from a group begins with another node each time, which is fair (8)",
                "described",
                _fairness(kept),
                "sources take turns on shared cores, which shares them out as well",
            ),
            (
                "Dolphin's cards and library",
                "table 1 was measured on them",
                Missing("no such card was at hand; Dolphin's library has been compiled against, never run"),
                "the software library offers the same interface over POSIX shared memory",
            ),
            (
                "two machines or more",
                "all figures",
                Missing("the software library works within one host"),
                "ranks are processes of one host",
            ),
        ],
        "claim (section)",
    )


def write(kept: Kept, page: Page) -> None:
    page.text(
        "[sci](../reference/sci.md) describes the layer, [sisci](../reference/sisci.md) the"
        " library below it, [technologies](../reference/technologies.md) the parameters."
    )
    _table_1(kept, page)
    _variants(kept, page)
    _slopes(kept, page)
    _claims(kept, page)
