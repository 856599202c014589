/* The rows of all options but those that benchmarks have of their own, who takes which, and the
 * table of one program. */
#include "engine/options.h"

#include <stdio.h>
#include <string.h>

#include "engine/benchmark.h"
#include "engine/definition.h"
#include "engine/shape.h"
#include "transport/transport.h"

#define FIELD(name) offsetof(bench_options, name)

static const char *const waits[] = {"auto", "spin", "yield", "block", NULL};
static const char *const touches[] = {"all", "none", NULL};
static const char *const connections[] = {"role", "all", NULL};
static const char *const buffer_uses[] = {"hot", "rotate", NULL};
static const char *const arrivals[] = {"periodic", "poisson", NULL};
static const char *const quantiles[] = {"p50", "p90", "p99", "p99.9", NULL};
static const char *const sides[] = {"none", "source", "destination", "both", NULL};
static const char *const nodes[] = {"none", "both", NULL};
static const char *const group_sends[] = {"network", "tree", NULL};
static const char *const formats[] = {"text", "csv", "json", NULL};

enum { LARGEST_MESSAGE = 1 << 30, LARGEST_RANK = 65535 };

/* Made of what the technologies say of themselves, see describe_technologies. */
static char technology_help[512], interface_help[512];

/* clang-format off: a row reads best as one */
/* Before a benchmark's own options. */
static const cb_option first_rows[] = {
    {.name = "technology",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(technology),
     .argument = "NAME",
     .default_text = "mpi",
     .key = "technology",
     .help = technology_help},
    {.name = "sizes",
     .type = CB_OPTION_SIZE_LIST,
     .offset = FIELD(sizes),
     .argument = "LIST",
     .maximum = LARGEST_MESSAGE,
     .key = "sizes_bytes",
     .help =
         "Packet sizes, with units: 0,64,4KiB,1MB; without it 0, 64, 256 and 1024 bytes, and what "
         "the fit needs"},
    {.name = "sweep",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(sweep),
     .key = "sweep",
     .help = "Measure a full curve: powers of two to 4 MiB, and one byte less and more than each; "
             "with --sizes those as well"},
    {.name = "breakpoint",
     .type = CB_OPTION_SIZE,
     .scope = BENCH_TAKES_PARKBENCH,
     .offset = FIELD(breakpoint_bytes),
     .argument = "BYTES",
     .minimum = 1,
     .maximum = LARGEST_MESSAGE,
     .key = "breakpoint_bytes",
     .help = "The size from which another protocol is used, 8KiB: shorter messages have a line of "
             "their own; without it one line is fitted to all sizes"},
    {.name = "processors",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_PROCESSORS,
     .offset = FIELD(processors),
     .argument = "LIST",
     .minimum = 2,
     .maximum = LARGEST_RANK,
     .key = "processors",
     .help =
         "Numbers of processors, one measurement each; without it 4, 8, 16 and the largest that "
         "fits the job"},
    {.name = "destinations",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_DESTINATIONS,
     .offset = FIELD(destinations),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "destinations",
     .help =
         "Numbers of destinations, one measurement each; without it 4, 8, 16 and the largest that "
         "fits the job"},
    {.name = "sources",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_SOURCES,
     .offset = FIELD(sources),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "sources",
     .help =
         "Numbers of sources, one measurement each; without it 4, 8, 16 and the largest that fits "
         "the job"},
    {.name = "receivers",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_DESTINATIONS,
     .offset = FIELD(receivers),
     .argument = "RANKS",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "receivers",
     .help = "The ranks that are destinations, in this order: 3,5,7-9; rank 0 is the source"},
    {.name = "group",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_DESTINATIONS | BENCH_TAKES_SOURCES,
     .offset = FIELD(group),
     .argument = "NAME",
     .key = "group",
     .help =
         "The members of this group of network.conf, in its order, are the destinations, or the "
         "sources where sources are counted; all of them without --destinations or --sources. "
         "Wants --config"},
    {.name = "sources",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(sources),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "sources",
     .help = "Numbers of sources, each with the number of destinations at the same place of "
             "--destinations; without it 4, 6 and 8, or the largest number that fits the job"},
    {.name = "destinations",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(destinations),
     .argument = "LIST",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .key = "destinations",
     .help = "Numbers of destinations, or one number for all; without it as many as sources"},
};

/* After a benchmark's own options. */
static const cb_option later_rows[] = {
    {.name = "algorithm",
     .type = CB_OPTION_COUNT_LIST,
     .scope = BENCH_TAKES_ALGORITHM,
     .offset = FIELD(algorithms_us),
     .argument = "LIST",
     .maximum = 1e6,
     .unit = "us",
     .key = "algorithm_us",
     .help = "Times that a receiving processor works on each packet, in us or with a unit: "
             "50,2ms; one measurement each; without it 0, 50 and 500 us"},
    {.name = "in-flight",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(in_flight),
     .argument = "E",
     .minimum = 1,
     .maximum = 1048576,
     .key = "in_flight",
     .help = "Events that are in the farm at most; without it the smallest number that gives the "
             "full frequency, found by a short search"},
    {.name = "rate",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(rate_hz),
     .argument = "R",
     .minimum = 0.1,
     .maximum = 1e9,
     .unit = "Hz",
     .key = "rate_Hz",
     .help = "Open loop: events fall due at this rate, 100kHz, whether or not earlier ones came "
             "back; latency counts from then"},
    {.name = "arrivals",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(arrivals),
     .argument = "HOW",
     .default_text = "periodic",
     .choices = arrivals,
     .key = "arrivals",
     .help = "In an open loop events fall due periodically or as a Poisson process (--seed)"},
    {.name = "load-curve",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(load_curve),
     .argument = "LIST",
     .key = "load_curve",
     .help = "Latency against offered load: an open loop at each of these rates, 10kHz,50%,90%, "
             "where per cent are of the closed loop's frequency; auto takes nine from 10 to 110 %"},
    {.name = "find-rate",
     .type = CB_OPTION_FLAG,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(find_rate),
     .key = "find_rate",
     .help = "Search for the highest rate at which --quantile of the latency stays within "
             "--deadline-us"},
    {.name = "deadline-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(deadline_us),
     .argument = "L",
     .minimum = 0.01,
     .maximum = 1e9,
     .unit = "us",
     .key = "deadline_us",
     .help = "The latency that --find-rate holds, in us or with a unit: 10ms"},
    {.name = "quantile",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(quantile),
     .argument = "Q",
     .default_text = "p99",
     .choices = quantiles,
     .key = "quantile",
     .help = "The quantile of the latency that has to be within the deadline"},
    {.name = "slow-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(slow_us),
     .argument = "US",
     .minimum = 0.1,
     .maximum = 1e6,
     .unit = "us",
     .key = "slow_us",
     .help = "For experiments: the first destination works this much longer on each event, in us "
             "or with a unit"},
    {.name = "timeline",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(timeline),
     .argument = "FILE",
     .help = "Write there what every rank does with the first events of a pass of its own, behind "
             "the first measurement and not within --max-time: trace JSON, which Perfetto shows"},
    {.name = "timeline-events",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(timeline_events),
     .argument = "N",
     .minimum = 1,
     .maximum = 65536,
     .key = "timeline_events",
     .help = "So many events are in the timeline, or as many as --max-time has room for; without "
             "it 64"},
    {.name = "mode",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_MODES,
     .offset = FIELD(mode),
     .argument = "NAME",
     .default_text = "default",
     .key = "mode",
     .help =
         "One mode by name, or all; default leaves out those that are measured on request only"},
    {.name = "precision",
     .type = CB_OPTION_REAL,
     .offset = FIELD(precision_pct),
     .argument = "PCT",
     .default_text = "2",
     .minimum = 0.01,
     .maximum = 100,
     .unit = "%",
     .key = "precision_pct",
     .help =
         "A measurement goes on until the 95 % interval of the median is within so many per cent"},
    {.name = "max-time",
     .type = CB_OPTION_REAL,
     .offset = FIELD(max_time_s),
     .argument = "S",
     .default_text = "1.5",
     .minimum = 0.01,
     .maximum = 86400,
     .unit = "s",
     .key = "max_time_s",
     .help =
         "or for so long at the most, warm-up and all passes but --verify included; longer where "
         "the least that a figure needs takes longer, as between ranks that wait for a core"},
    {.name = "window",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_WINDOW,
     .offset = FIELD(window),
     .argument = "W",
     .default_text = "64",
     .minimum = 1,
     .maximum = 65536,
     .key = "window",
     .help = "Packets to a destination that may be unacknowledged in a stream"},
    {.name = "wait",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(wait),
     .argument = "HOW",
     .default_text = "auto",
     .choices = waits,
     .key = "wait",
     .help =
         "How a receive waits; auto spins where every busy rank has a core of its own and yields "
         "elsewhere"},
    {.name = "touch",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(touch),
     .argument = "WHAT",
     .default_text = "all",
     .choices = touches,
     .key = "touch",
     .help =
         "What a destination reads of a packet: all refers to every byte, so that no clever system "
         "can avoid the transfer"},
    {.name = "connect",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(connect),
     .argument = "WHOM",
     .default_text = "role",
     .choices = connections,
     .key = "connect",
     .help = "Whom a rank connects to, over a technology that has connections: those that its role "
             "talks to, or all, which measures what idle peers cost"},
    {.name = "buffers",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(buffers),
     .argument = "USE",
     .default_text = "hot",
     .choices = buffer_uses,
     .key = "buffers",
     .help = "hot takes the buffer that was used last; rotate goes round through twice the largest "
             "cache, which shows the effect of caching"},
    {.name = "placement",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(placement),
     .argument = "HOW",
     .choices = shape_placements,
     .key = "placement",
     .help = "Over several hosts: ranks take part host after host (block), from host to host "
             "(cyclic), with each role spread over all hosts, or packed on few; without it in the "
             "launcher's order"},
    {.name = "compute",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_SIDES,
     .offset = FIELD(compute),
     .argument = "SIDE",
     .default_text = "none",
     .choices = sides,
     .key = "compute",
     .help =
         "Measure beside a continuous computing task of low priority on the core of each source, "
         "each destination, or both; what each slows down the other is reported"},
    {.name = "compute",
     .type = CB_OPTION_CHOICE,
     .scope = BENCH_TAKES_NODES,
     .offset = FIELD(compute),
     .argument = "SIDE",
     .default_text = "none",
     .choices = nodes,
     .key = "compute",
     .help = "Measure beside a continuous computing task of low priority on the core of each node, "
             "which is source and destination; what each slows down the other is reported"},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .key = "seed",
     .help = "Seed of everything that is drawn at random"},
    {.name = "verify",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(verify),
     .key = "verify",
     .help =
         "Add a pass, not timed, in which every byte and every number is checked; lost, doubled, "
         "reordered or corrupted messages are counted and fail the run"},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(format),
     .argument = "FORM",
     .choices = formats,
     .help = "Form of the result: text, csv, or json (combench-result/1); without it text, or json "
             "with "
             "--output"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .argument = "FILE",
     .help = "Write the result there, anew after every measurement, and the text form to standard "
             "output"},
    {.name = "config",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(config),
     .argument = "DIR",
     .key = "config",
     .help = "Read network.conf, nodes.conf and machines.conf there, see combench-config(5): the "
             "technology, its parameters, and which node each rank is; an option goes before them"},
    {.name = "interface",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(interface),
     .argument = "NAME",
     .key = "interface",
     .help = interface_help},
    {.name = "parameter",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(parameter),
     .argument = "NAME=VALUE,...",
     .key = "parameter",
     .help = "Parameters of the technology for all ranks, written as in its Context, see "
             "combench-config(5); they take precedence over the files of --config and over values "
             "derived from the job"},
    {.name = "emit-trace",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(emit_trace),
     .argument = "FILE",
     .help = "Measure nothing; write the messages of the one measurement that the other options "
             "leave to FILE, or - for standard output, as a trace for ccmod; needs no MPI job"},
    {.name = "trace-steps",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(trace_steps),
     .argument = "N",
     .default_text = "100",
     .minimum = 1,
     .maximum = 1e9,
     .help = "Number of steps in a block of the trace, or of events of a farm"},
    {.name = "trace-blocks",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_BLOCKS,
     .offset = FIELD(trace_blocks),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1e6,
     .help =
         "Number of blocks in the trace, each with its own start and its last acknowledgements"},
    {.name = "trace-shifts",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_SHIFTS,
     .offset = FIELD(trace_shifts),
     .argument = "N",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .help = "Number of messages that a node sends in a round of the trace, to nodes spread evenly "
             "over the others; without it one to each"},
    {.name = "trace-pace-us",
     .type = CB_OPTION_REAL,
     .scope = BENCH_TAKES_FARM,
     .offset = FIELD(trace_pace_us),
     .argument = "US",
     .maximum = 1e9,
     .help = "Time that the supervisor waits in the trace before it issues an event"},
    {.name = "trace-group-send",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(trace_group_send),
     .argument = "HOW",
     .default_text = "network",
     .choices = group_sends,
     .help = "Write a group send of the technology as one multicast of the network, or as a "
             "binomial tree of sends among the members"},
    {.name = "trace-ranks",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(trace_ranks),
     .argument = "N",
     .minimum = 1,
     .maximum = LARGEST_RANK,
     .help = "Number of ranks in the job of the trace; without it those that take part"},
    {.name = "describe",
     .type = CB_OPTION_ACTION,
     .help = "Print what this benchmark is as JSON (combench-benchmarks/1)"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the manual page's source"},
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
    "Something failed after the first measurement began, or a signal ended the run; what was "
    "measured until then stands in the result.",
    "2",
    "Wrong before the first measurement: an option, the number of ranks, an output that cannot be "
    "written, an unknown technology, a configuration file.",
    "77",
    "The technology lacks what the benchmark needs; the reason is on standard error.",
    NULL,
};

/* The set of bench_scope that follows from a definition. */
static uint32_t scopes_of(const benchmark *definition)
{
    static const uint32_t by_count[] = {
        [BENCH_PAIR_ONLY] = 0,
        [BENCH_BY_MODE] = 0,
        [BENCH_PROCESSORS] = BENCH_TAKES_PROCESSORS,
        [BENCH_DESTINATIONS] = BENCH_TAKES_DESTINATIONS,
        [BENCH_SOURCES] = BENCH_TAKES_SOURCES,
        [BENCH_FARM] = BENCH_TAKES_FARM,
        [BENCH_TOPOLOGY] = 0,
    };
    uint32_t scopes = by_count[definition->counted];

    scopes |= definition->group == BENCH_GROUP_FARM ? BENCH_TAKES_ALGORITHM : BENCH_TAKES_MODES;
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++)
        if (traffic_is_stream(mode))
            scopes |= BENCH_TAKES_WINDOW;
    if (definition->group == BENCH_GROUP_PARKBENCH)
        scopes |= BENCH_TAKES_PARKBENCH;
    if (definition->counted == BENCH_PROCESSORS && definition->roles[0].peering == BENCH_OTHERS)
        scopes |= BENCH_TAKES_SHIFTS;
    if (definition->counted != BENCH_FARM)
        scopes |= BENCH_TAKES_BLOCKS;
    if (bench_occupations(definition) != NULL)
        scopes |= bench_side_of(&definition->roles[0]) == BENCH_SIDE_NODE ? BENCH_TAKES_NODES
                                                                          : BENCH_TAKES_SIDES;
    return scopes;
}

/* Whether a benchmark takes an option of that name, of which the engine's rows have those scopes.
 */
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

/* Own rows of all benchmarks are in every table, since an abbreviation shall not mean one option
 * here and another there. Those of others have a scope that no program has; offsets of own rows are
 * into the own options of a benchmark. */
static size_t add_own_rows(const benchmark *definition, const benchmark *const *registry,
                           cb_option *rows, size_t room)
{
    size_t count = 0;

    for (const benchmark *const *one = registry; *one != NULL; one++)
        for (size_t i = 0; i < (*one)->option_count && count < room; i++) {
            rows[count] = (*one)->options[i];
            rows[count].scope = *one == definition ? 0 : BENCH_TAKES_OWN;
            rows[count++].offset += offsetof(bench_options, own);
        }
    return count;
}

/* "one (its summary), another (its summary) or third (its summary)": all that are known, whatever
 * this build has. `separator` stands before the last. */
static size_t list_technologies(unsigned capabilities, bool with_summary, const char *separator,
                                char *text, size_t bytes)
{
    size_t used = 0, listed = 0, count = 0;

    for (size_t i = 0; transport_technologies[i] != NULL; i++)
        count += (transport_technologies[i]->capabilities & capabilities) == capabilities;
    for (size_t i = 0; transport_technologies[i] != NULL && used < bytes; i++) {
        const transport_technology *technology = transport_technologies[i];

        if ((technology->capabilities & capabilities) != capabilities)
            continue;
        listed++;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s%s%s%s",
                                 listed == 1       ? ""
                                 : listed == count ? separator
                                                   : ", ",
                                 technology->name, with_summary ? " (" : "",
                                 with_summary ? technology->summary : "", with_summary ? ")" : "");
    }
    return used < bytes ? used : bytes;
}

static void describe_technologies(void)
{
    char names[256];
    size_t used =
        (size_t)snprintf(technology_help, sizeof(technology_help), "What moves the data: ");

    used +=
        list_technologies(0, true, " or ", technology_help + used, sizeof(technology_help) - used);
    snprintf(technology_help + used, sizeof(technology_help) - used,
             "; with --config, what network.conf says where this is not given");
    list_technologies(TRANSPORT_INTERFACE, false, " and ", names, sizeof(names));
    snprintf(
        interface_help, sizeof(interface_help),
        "The network interface of %s, the same name on all hosts; without it loopback where all "
        "ranks are on one host, else the one with the address of the host's name",
        names);
}

void options_table_make(const benchmark *definition, const benchmark *const *registry,
                        options_table *out)
{
    cb_option *at = out->rows;

    describe_technologies();
    memcpy(at, first_rows, sizeof(first_rows));
    at += FIRST_ROWS;
    at += add_own_rows(definition, registry, at, OPTIONS_ROWS - FIRST_ROWS - LATER_ROWS);
    memcpy(at, later_rows, sizeof(later_rows));
    at += LATER_ROWS;
    snprintf(out->program, sizeof(out->program), "cb_%s", definition->name);
    snprintf(out->synopsis, sizeof(out->synopsis), "mpirun -np N cb_%s [OPTION]...",
             definition->name);
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
