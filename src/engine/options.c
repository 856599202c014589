/* The rows of the engine's options, which benchmarks take them, and the table of one program. */
#include "engine/options.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "engine/definition.h"
#include "engine/method.h"
#include "engine/traffic.h"
#include "transport/transport.h"

#define FIELD(name) offsetof(bench_options, name)

static const char *const waits[] = {"auto", "spin", "yield", "block", NULL};
static const char *const touches[] = {"all", "none", NULL};
static const char *const connections[] = {"role", "all", NULL};
static const char *const buffer_uses[] = {"hot", "rotate", BENCH_SEPARATE, NULL};
static const char *const quantiles[] = {"p50", "p90", "p99", "p99.9", NULL};
static const char *const sides[] = {"none", "source", "destination", "both", NULL};
static const char *const nodes[] = {"none", "both", NULL};
static const char *const group_sends[] = {BENCH_GROUP_SEND_NETWORK, BENCH_GROUP_SEND_TREE, NULL};
static const char *const formats[] = {"text", "csv", "json", NULL};

enum { LARGEST_MESSAGE = 1 << 30, LARGEST_RANK = 65535 };

/* Filled by fill_technology_texts. */
static char technology_help[384], technology_more[512], interface_help[384], threads_help[320];

/* clang-format off: a row reads best as one */
/* Rows before a benchmark's own options. */
static const cb_option first_rows[] = {
    {.name = "technology",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(technology),
     .argument = "NAME",
     .default_text = "mpi",
     .key = "technology",
     .help = technology_help,
     .more = technology_more},
    {.name = "sizes",
     .type = CB_OPTION_SIZE_LIST,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(sizes),
     .argument = "LIST",
     .maximum = LARGEST_MESSAGE,
     .key = "sizes_bytes",
     .help = "Packet sizes, as 0,64,4KiB,1MB; default 0,64,256,1024",
     .more = "One measurement for each size. Programs that fit Hockney's parameters add the sizes "
             "that the fit needs to the default."},
    {.name = "sweep",
     .type = CB_OPTION_FLAG,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(sweep),
     .key = "sweep",
     .help = "Measure powers of two to 4 MiB, and one byte less and more than each",
     .more = "Sizes given by --sizes are measured as well."},
    {.name = "fragments",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_FRAGMENTS,
     .offset = FIELD(fragments),
     .file = CB_FILE_READ,
     .argument = "SPEC",
     .key = "fragments",
     .help = "Sizes of fragments, as lognormal:1KiB,0.5; instead of --sizes",
     .more =
         "fixed:SIZE, uniform:SIZE-SIZE, lognormal:MEDIAN,SIGMA, gamma:MEAN,SHAPE, or several for "
         "successive sources as fixed:1KiB+gamma:2KiB,3; or file:FILE, which has a line for each "
         "event with one size for all sources or one for each. Sizes are drawn from --seed and "
         "repeat after 16384 events, or after the file."},
    {.name = "correlation",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FRAGMENTS,
     .offset = FIELD(correlation),
     .argument = "R",
     .default_text = "0",
     .maximum = 1,
     .key = "correlation",
     .help = "Correlation of the sizes of an event in different sources, 0 to 1",
     .more = "It is that of the normal deviates from which sizes are made. 1: an event that is "
             "large in one source is large in all."},
    {.name = "processors",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_PROCESSORS,
     .offset = FIELD(processors),
     .argument = "LIST",
     .minimum = 2,
     .maximum = LARGEST_RANK,
     .key = "processors",
     .help = "Numbers of processors; default 4,8,16 and all ranks",
     .more = "One measurement for each number. The default takes those of 4, 8 and 16 that fit the "
             "job, and the largest number that does."},
    {.name = "destinations",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_DESTINATIONS,
     .offset = FIELD(destinations),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "destinations",
     .help = "Numbers of destinations; default 4,8,16 and all that fit",
     .more = "One measurement for each number. The default takes those of 4, 8 and 16 that fit the "
             "job, and the largest number that does."},
    {.name = "sources",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_SOURCES,
     .offset = FIELD(sources),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "sources",
     .help = "Numbers of sources; default 4,8,16 and all that fit",
     .more = "One measurement for each number. The default takes those of 4, 8 and 16 that fit the "
             "job, and the largest number that does."},
    {.name = "receivers",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_DESTINATIONS,
     .offset = FIELD(receivers),
     .argument = "RANKS",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "receivers",
     .help = "Ranks that are destinations, in this order, as 3,5,7-9",
     .more = "Rank 0 is the source."},
    {.name = "group",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_DESTINATIONS | BENCH_TAKES_SOURCES,
     .offset = FIELD(group),
     .argument = "NAME",
     .key = "group",
     .help = "Take the counted ranks from a group of network.conf (needs --config)",
     .more =
         "The members of the group, in the order of the file, are the destinations, or the sources "
         "where sources are counted. Without --destinations or --sources all members take part."},
    {.name = "sources",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(sources),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "sources",
     .help = "Numbers of sources; default 4,6,8 that fit, or the largest",
     .more = "The number at each place goes with the number of --destinations at the same place."},
    {.name = "destinations",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(destinations),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "destinations",
     .help = "Numbers of destinations, or one for all; default as many as sources"},
};

/* Rows after a benchmark's own options. */
static const cb_option later_rows[] = {
    {.name = "algorithm",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_ALGORITHM,
     .offset = FIELD(algorithms_us),
     .argument = "LIST",
     .maximum = 1e6,
     .unit = "us",
     .key = "algorithm_us",
     .help = "Computing time for each packet, as 50,2ms; default 0,50,500",
     .more =
         "Time that a receiving processor works on each packet. One measurement for each time."},
    {.name = "in-flight",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(in_flight),
     .argument = "E",
     .minimum = 1,
     .maximum = 1048576,
     .key = "in_flight",
     .help = "Maximum number of events in flight; default the best, by search",
     .more = "The search takes the smallest number that gives the full frequency."},
    {.name = "rate",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(rate_hz),
     .argument = "R",
     .minimum = 0.1,
     .maximum = 1e9,
     .unit = "Hz",
     .key = "rate_Hz",
     .help = "Open loop: issue events at this rate, as 100kHz",
     .more =
         "Events are issued when they are due, whether or not earlier ones have been decided or "
         "have left the pipeline. The latency of an event counts from its due time."},
    {.name = "arrivals",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(arrivals),
     .file = CB_FILE_READ,
     .argument = "PROCESS",
     .default_text = "periodic",
     .key = "arrivals",
     .help = "Open loop: periodic, poisson, gamma:SHAPE, bursts:LENGTH,GAP, train:FILE",
     .more =
         "Due times of events, whose mean rate is that of the loop; draws follow --seed. periodic: "
         "equal "
         "intervals. poisson: exponential intervals. gamma: gamma intervals of that shape, as "
         "gamma:0.5. bursts: that many events GAP apart, as bursts:100,1us, one burst in LENGTH "
         "mean intervals. train: events in the filled slots of an orbit, which FILE lists."},
    {.name = "load-curve",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(load_curve),
     .argument = "LIST",
     .key = "load_curve",
     .help = "Open loop at each of these rates, as 10kHz,50%,90%, or auto",
     .more = "Measures latency against offered load. Per cent refer to the frequency of the closed "
             "loop, or of a pipeline whose events are all due at once; auto takes nine rates from "
             "10 % to 110 %."},
    {.name = "find-rate",
     .type = CB_OPTION_FLAG,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(find_rate),
     .key = "find_rate",
     .help = "Search for the highest rate that meets --deadline-us",
     .more =
         "A rate meets the deadline if --quantile of the event latency is at most --deadline-us."},
    {.name = "deadline-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(deadline_us),
     .argument = "L",
     .minimum = 0.01,
     .maximum = 1e9,
     .unit = "us",
     .key = "deadline_us",
     .help = "Event latency that --find-rate has to meet, as 10ms"},
    {.name = "quantile",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(quantile),
     .argument = "Q",
     .default_text = "p99",
     .choices = quantiles,
     .key = "quantile",
     .help = "Quantile of the latency for --find-rate"},
    {.name = "slow-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(slow_us),
     .argument = "US",
     .minimum = 0.1,
     .maximum = 1e6,
     .unit = "us",
     .key = "slow_us",
     .help = "Extra work of the first destination for each event, as 2ms",
     .more = "For experiments with one slow destination."},
    {.name = "timeline",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_TIMELINE,
     .offset = FIELD(timeline),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write a Perfetto trace of the first events to FILE (extra pass)",
     .more = "The pass follows the first measurement; --max-time does not count it. The trace "
             "shows what every rank does, on one clock."},
    {.name = "timeline-events",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_TIMELINE,
     .offset = FIELD(timeline_events),
     .argument = "N",
     .minimum = 1,
     .maximum = 65536,
     .key = "timeline_events",
     .help = "Number of events in the timeline; default 64",
     .more = "Fewer if --max-time has no room for them."},
    {.name = "mode",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_MODES,
     .offset = FIELD(mode),
     .argument = "NAME",
     .default_text = "default",
     .key = "mode",
     .help = "Mode to measure: a name, all, or default",
     .more = "default leaves out modes that are measured on request only."},
    {.name = "precision",
     .type = CB_OPTION_REAL,
     .offset = FIELD(precision_pct),
     .argument = "PCT",
     .default_text = "2",
     .minimum = 0.01,
     .maximum = 100,
     .unit = "%",
     .key = "precision_pct",
     .help = "Stop when the 95 % interval of the median is within +-PCT"},
    {.name = "max-time",
     .type = CB_OPTION_REAL,
     .offset = FIELD(max_time_s),
     .argument = "S",
     .default_text = "1.5",
     .minimum = 0.01,
     .maximum = 86400,
     .unit = "s",
     .key = "max_time_s",
     .help = "Stop after this many seconds, including warm-up",
     .more = "Limits each measurement; the pass of --verify is not counted. A measurement takes "
             "longer if the fewest samples that its figures need take longer, as with ranks that "
             "share a core."},
    {.name = "window",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_WINDOW,
     .offset = FIELD(window),
     .argument = "W",
     .default_text = "64",
     .minimum = 1,
     .maximum = 65536,
     .key = "window",
     .help = "Maximum of unacknowledged packets to a destination in a stream"},
    {.name = "threads",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_THREADS,
     .offset = FIELD(threads),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = OPTIONS_THREADS_MOST,
     .key = "threads",
     .help = threads_help,
     .more = "The threads of a source share its window, and one of them receives the "
             "acknowledgements. With more than one, threads that wait for a credit poll, and with "
             "--wait block they yield between two polls. Give each rank a core for each thread, as "
             "by mpirun --bind-to none."},
    {.name = "wait",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(wait),
     .argument = "HOW",
     .default_text = "auto",
     .choices = waits,
     .key = "wait",
     .help = "How a receive waits",
     .more = "auto spins if every busy rank has a core of its own, and yields otherwise."},
    {.name = "touch",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(touch),
     .argument = "WHAT",
     .default_text = "all",
     .choices = touches,
     .key = "touch",
     .help = "Bytes of a packet that its destination reads",
     .more = "all reads every byte, so that no system can avoid the transfer."},
    {.name = "connect",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(connect),
     .argument = "WHOM",
     .default_text = "role",
     .choices = connections,
     .key = "connect",
     .help = "Peers that a rank connects to",
     .more = "For technologies that have connections. role: the ranks that its role exchanges "
             "messages with. all: every rank, which shows what idle connections cost."},
    {.name = "buffers",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(buffers),
     .argument = "USE",
     .default_text = "hot",
     .choices = buffer_uses,
     .key = "buffers",
     .help = "Choice of the buffer for the next packet",
     .more =
         "hot: the buffer that was used last. rotate: the next of a set twice as large as the "
         "largest cache, which shows the effect of caching. separate: packets are sent from one "
         "buffer that none is received into, as OMB and IMB do."},
    {.name = "placement",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(placement),
     .argument = "HOW",
     .choices = shape_placements,
     .key = "placement",
     .help = "Order in which the ranks of several hosts take part",
     .more = "block: host after host. cyclic: from host to host. spread: each role over all hosts. "
             "packed: each role on few hosts. Without this option ranks keep the order of the "
             "launcher."},
    {.name = "compute",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_SIDES,
     .offset = FIELD(compute),
     .argument = "SIDE",
     .default_text = "none",
     .choices = sides,
     .key = "compute",
     .help = "Cores that compute beside the communication",
     .more =
         "A continuous task of low priority runs on the core of each source, each destination, or "
         "both. The result has how much the task and the communication slow each other down."},
    {.name = "compute",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_NODES,
     .offset = FIELD(compute),
     .argument = "SIDE",
     .default_text = "none",
     .choices = nodes,
     .key = "compute",
     .help = "Cores that compute beside the communication",
     .more = "A continuous task of low priority runs on the core of each node, which is source and "
             "destination. The result has how much the task and the communication slow each other "
             "down."},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .key = "seed",
     .help = "Seed of all random draws"},
    {.name = "verify",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(verify),
     .key = "verify",
     .help = "Check every byte and sequence number in an extra pass",
     .more = "The pass is not timed. Lost, duplicate, reordered and corrupted messages are "
             "counted; one of them makes the run fail."},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(format),
     .argument = "FORM",
     .choices = formats,
     .help = "Form of the result; default text, or json with --output",
     .more = "json is combench-result/1."},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write the result to FILE after every measurement",
     .more = "FILE is replaced as a whole each time, so that an interrupted run keeps what it has "
             "measured. The text form goes to standard output."},
    {.name = "config",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(config),
     .file = CB_FILE_READ,
     .inside = cb_file_names,
     .argument = "DIR",
     .key = "config",
     .help = "Read network.conf, nodes.conf and machines.conf from DIR; or the preset note",
     .more = "The files name the technology, its parameters, and the node of each rank; see "
             "combench-config(5), which describes the preset as well. A directory named note takes "
             "precedence over it, and command-line options over both."},
    {.name = "interface",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(interface),
     .argument = "NAME,...",
     .key = "interface",
     .help = interface_help,
     .more =
         "The same names on all hosts; rank k of a host, counted from 0, takes name k modulo their "
         "number. Default: loopback if all ranks are on one host, otherwise "
         "the interface that has the address of the host's name."},
    {.name = "parameter",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(parameter),
     .argument = "NAME=VALUE,...",
     .key = "parameter",
     .help = "Parameters of the technology, see combench-config(5)",
     .more = "They apply to all ranks, are written as in the technology's Context, and take "
             "precedence over the files of --config and over values derived from the job. A value "
             "that has commas is written in quotes: \"transports='posix,self',method=put\"."},
    {.name = "model",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(model),
     .file = CB_FILE_READ,
     .argument = "FILE",
     .key = "model",
     .help = "Run on a model of a network, with the calibration FILE of ccmod calibrate",
     .more = "All ranks are in this process, and time is that of the model, also of --max-time. No "
             "MPI job is needed."},
    {.name = "network",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(network),
     .argument = "KIND",
     .key = "network",
     .help = "Network of the model; default crossbar, ccmod info lists those that are known",
     .more = "Each rank is on a node of its own."},
    {.name = "share",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(share),
     .argument = "RULE",
     .key = "share",
     .help = "How messages share a link of the model, as in ccmod run; default as the calibration "
             "says, else fifo"},
    {.name = "group-send",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(group_send),
     .argument = "HOW",
     .choices = group_sends,
     .key = "group_send",
     .help = "How the model carries a multicast of the technology; default network",
     .more = "network: as one message, which each link carries once. tree: as a binomial tree of "
             "sends; a member forwards the message when it receives it."},
    {.name = "switch-buffer",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(switch_buffer),
     .argument = "BYTES[,shared:ALPHA]",
     .key = "switch_buffer",
     .help = "Buffer of each port of a switch, where --share drops frames; default no limit",
     .more = "As --buffer of ccmod run."},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(background),
     .argument = "LOAD",
     .key = "background",
     .help = "Load of others on each link of the model, as 0.3 or exp:0.3; default none",
     .more = "As in ccmod run, but one evaluation; a drawn load stays for 1 ms."},
    {.name = "ranks",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(model_ranks),
     .argument = "N",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "ranks",
     .help = "Ranks of the job in the model; default as many as the largest count needs"},
    {.name = "messages",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(messages),
     .argument = "N",
     .default_text = "10000000",
     .minimum = 1000,
     .maximum = 1e15,
     .key = "messages",
     .help = "End a row of the model after this many messages",
     .more = "Or at --max-time, whichever comes first. A multicast counts once for each receiver; "
             "the pass of --verify is not counted."},
    {.name = "emit-trace",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(emit_trace),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write the messages as a trace for ccmod to FILE; without --model measure nothing",
     .more = "FILE may be - for standard output. With --model the trace is that of the whole run, "
             "and the text of the result goes to standard error if the trace is on standard "
             "output. Without it the other options have to leave one measurement. No MPI job is "
             "needed."},
    {.name = "trace-steps",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(trace_steps),
     .argument = "N",
     .default_text = "100",
     .minimum = 1,
     .maximum = 1e9,
     .help = "Steps in a block of the trace, or events of a farm"},
    {.name = "trace-blocks",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_BLOCKS,
     .offset = FIELD(trace_blocks),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1e6,
     .help = "Blocks in the trace",
     .more = "Each block has its own start and its last acknowledgements."},
    {.name = "trace-pace-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_LOAD,
     .offset = FIELD(trace_pace_us),
     .argument = "US",
     .maximum = 1e9,
     .unit = "us",
     .help = "Pause before each event of the trace, of the supervisor or of each source",
     .more = "With --arrivals this is the mean, and the pauses are the intervals of that process."},
    {.name = "trace-group-send",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(trace_group_send),
     .argument = "HOW",
     .default_text = "network",
     .choices = group_sends,
     .help = "How a group send of the technology is written",
     .more =
         "network: as one multicast record. tree: as a binomial tree of sends among the members."},
    {.name = "trace-ranks",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_PACKETS,
     .offset = FIELD(trace_ranks),
     .argument = "N",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .help = "Ranks in the job of the trace; default those that take part"},
    {.name = "describe",
     .type = CB_OPTION_ACTION,
     .help = "Print the definition of the benchmark as JSON",
     .more = "The form is combench-benchmarks/1."},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

enum {
    FIRST_ROWS = sizeof(first_rows) / sizeof(first_rows[0]),
    LATER_ROWS = sizeof(later_rows) / sizeof(later_rows[0])
};

static const char *const exit_statuses[] = {
    "0",
    "Measured.",
    "1",
    "A failure or a signal after the first measurement began; the result "
    "keeps what was measured.",
    "2",
    "An error before the first measurement: an option, the number of ranks, an output file that "
    "cannot be written, an unknown technology, a configuration file.",
    "77",
    "Nothing could be measured: the technology lacks what the benchmark "
    "needs. Standard error has the reason.",
    NULL,
};

const bench_counting counted_pair = {.column = "processors", .ranks = "2"};
const bench_counting counted_job = {.column = "processors", .ranks = "count"};
const bench_counting counted_processors = {.column = "processors",
                                           .options = {"processors"},
                                           .takes = BENCH_TAKES_PROCESSORS,
                                           .list = FIELD(processors),
                                           .ranks = "count"};
const bench_counting counted_destinations = {.column = "destinations",
                                             .options = {"destinations"},
                                             .takes = BENCH_TAKES_DESTINATIONS,
                                             .list = FIELD(destinations),
                                             .ranks = "1 + count"};
const bench_counting counted_sources = {.column = "sources",
                                        .options = {"sources"},
                                        .takes = BENCH_TAKES_SOURCES,
                                        .list = FIELD(sources),
                                        .ranks = "1 + count"};

/* The set of bench_scope values that follows from a definition. */
static uint32_t scopes_of(const benchmark *definition)
{
    uint32_t scopes = definition->counted->takes | BENCH_TAKES_PACKETS |
                      (definition->method != NULL ? definition->method->takes : 0);

    if (!bench_has_steps(definition))
        return 0;
    scopes |= definition->counted->choose != NULL ? BENCH_TAKES_ALGORITHM : BENCH_TAKES_MODES;
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++)
        if (traffic_is_stream(mode))
            scopes |= BENCH_TAKES_WINDOW;
    if (bench_takes_threads(definition))
        scopes |= BENCH_TAKES_THREADS;
    if (definition->fragments != 0)
        scopes |= BENCH_TAKES_FRAGMENTS;
    if (definition->modes[0].divisor > 0)
        scopes |= BENCH_TAKES_BLOCKS;
    if (bench_occupations(definition) != NULL)
        scopes |= bench_side_of(&definition->roles[0]) == BENCH_SIDE_NODE ? BENCH_TAKES_NODES
                                                                          : BENCH_TAKES_SIDES;
    return scopes;
}

/* Whether a benchmark takes the option `name`, whose rows in the engine have these scopes. */
static bool takes(const benchmark *definition, const char *name, uint32_t scopes)
{
    for (size_t i = 0; i < definition->option_count; i++)
        if (strcmp(definition->options[i].name, name) == 0)
            return true;
    return (scopes_of(definition) & scopes) != 0;
}

/* "cb_one, cb_two and cb_three", in the order of the registry. */
static void name_owners(const cb_option_table *table, const char *name, char *text, size_t bytes)
{
    const options_table *all = (const options_table *)table;
    uint32_t scopes = 0;
    size_t used = 0, left = 0;

    for (size_t i = 0; i < table->option_count; i++)
        if (strcmp(table->options[i].name, name) == 0)
            scopes |= table->options[i].scope & ~(uint32_t)BENCH_TAKES_OWN;
    for (const benchmark *const *one = all->registry; *one != NULL; one++)
        left += takes(*one, name, scopes);
    text[0] = '\0';
    for (const benchmark *const *one = all->registry; *one != NULL && used < bytes; one++)
        if (takes(*one, name, scopes)) {
            const char *after = left > 2 ? ", " : left == 2 ? " and " : "";

            used += (size_t)snprintf(text + used, bytes - used, "cb_%s%s", (*one)->name, after);
            left--;
        }
}

/* Whether the table of own rows of a benchmark is also that of an earlier one. */
static bool is_of_earlier(const benchmark *const *registry, const benchmark *const *one)
{
    while (registry != one && (*registry)->options != (*one)->options)
        registry++;
    return registry != one;
}

/* Every table has the own rows of all benchmarks, so that an abbreviation means the same option in
 * all programs. Rows of other benchmarks get the scope BENCH_TAKES_OWN, which no program has. */
static cb_option *add_own_rows(const benchmark *definition, const benchmark *const *registry,
                               const char *after, cb_option *at)
{
    for (const benchmark *const *one = registry; *one != NULL; one++) {
        const char *wanted = (*one)->options_after;

        if (is_of_earlier(registry, one) || (wanted == NULL) != (after == NULL) ||
            (wanted != NULL && strcmp(wanted, after) != 0))
            continue;
        for (size_t i = 0; i < (*one)->option_count; i++, at++) {
            *at = (*one)->options[i];
            at->scope = (*one)->options == definition->options ? 0 : BENCH_TAKES_OWN;
            at->offset += offsetof(bench_options, own);
        }
    }
    return at;
}

/* The engine's rows, each followed by the own rows that are to stand after it. */
static cb_option *add_rows(const benchmark *definition, const benchmark *const *registry,
                           const cb_option *rows, size_t count, cb_option *at)
{
    for (size_t i = 0; i < count; i++) {
        *at++ = rows[i];
        at = add_own_rows(definition, registry, rows[i].name, at);
    }
    return at;
}

/* "one, another or third", each followed by its summary in parentheses if `with_summary`: all
 * technologies with these capabilities, including those not built in. `separator` is put before the
 * last. */
static void list_technologies(unsigned capabilities, bool with_summary, const char *separator,
                              char *text, size_t bytes)
{
    size_t used = 0, listed = 0, count = 0;

    for (size_t i = 0; transport_technologies[i] != NULL; i++)
        count += (transport_technologies[i]->capabilities & capabilities) == capabilities;
    for (size_t i = 0; transport_technologies[i] != NULL && used < bytes; i++) {
        const transport_technology *technology = transport_technologies[i];
        const char *before = listed == 0 ? "" : listed + 1 == count ? separator : ", ";

        if ((technology->capabilities & capabilities) != capabilities)
            continue;
        listed++;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", before, technology->name);
        if (with_summary && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, " (%s)", technology->summary);
    }
}

static void fill_technology_texts(void)
{
    char names[256];

    list_technologies(0, false, " or ", names, sizeof(names));
    snprintf(technology_help, sizeof(technology_help),
             "Technology of the messages: %s (list: what runs here)", names);
    list_technologies(0, true, ", ", technology_more, sizeof(technology_more));
    strncat(technology_more,
            ". With --config, network.conf gives the default. list shows which technologies are "
            "in this build, and which can be used on this host, and ends.",
            sizeof(technology_more) - strlen(technology_more) - 1);
    list_technologies(TRANSPORT_INTERFACE, false, " and ", names, sizeof(names));
    snprintf(interface_help, sizeof(interface_help),
             "Network interface of %s; of several, each rank of a host takes the next", names);
    list_technologies(OPTIONS_THREADS_NEED, false, " and ", names, sizeof(names));
    snprintf(threads_help, sizeof(threads_help), "Sending threads of each source, over %s", names);
}

void options_table_make(const benchmark *definition, const benchmark *const *registry,
                        options_table *out)
{
    const bool has_operand =
        definition->option_count > 0 && definition->options->type == CB_OPTION_OPERAND;
    cb_option *at = out->rows;

    fill_technology_texts();
    at = add_rows(definition, registry, first_rows, FIRST_ROWS, at);
    at = add_own_rows(definition, registry, NULL, at);
    at = add_rows(definition, registry, later_rows, LATER_ROWS, at);
    snprintf(out->program, sizeof(out->program), "cb_%s", definition->name);
    snprintf(out->synopsis, sizeof(out->synopsis), "mpirun -np N cb_%s [OPTION]...%s%s",
             definition->name, has_operand ? " " : "",
             has_operand ? definition->options->argument : "");
    out->registry = registry;
    out->table = (cb_option_table){
        .program = out->program,
        .summary = definition->title,
        .description = definition->description,
        .synopsis = out->synopsis,
        .exit_statuses = exit_statuses,
        .options = out->rows,
        .option_count = (size_t)(at - out->rows),
        .mask = scopes_of(definition),
        .name_owners = name_owners,
    };
}
