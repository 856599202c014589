/* The same trace, predicted by SimGrid: one actor a rank, a mailbox a pair, and a switch with one
 * full-duplex link a node, shared by max-min fairness. Latency 1 us, 1000 MB/s, as in perf_model.
 *
 *     perf_simgrid FILE [ready]    one line: messages, end and speed
 *
 * The clock runs from the first event to the last; the trace was read before. A mailbox is made
 * when a pair meets first, and with `ready` before the clock runs. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include <ccmod/ccmod.h>

/* All actors of the simulation, which has one thread, share this. */
static struct {
    ccmod_workload *workload;
    size_t records;      /* of the trace: no rank starts more */
    sg_mailbox_t *boxes; /* of each pair, made when it is used first */
    size_t ranks;
    unsigned long messages;
} simulation;

static int fail(const char *what)
{
    fprintf(stderr, "perf_simgrid: %s\n", what);
    return 1;
}

static sg_mailbox_t box_of(uint32_t source, uint32_t target)
{
    sg_mailbox_t *box = &simulation.boxes[source * simulation.ranks + target];
    char name[32];

    if (*box == NULL) {
        snprintf(name, sizeof(name), "%u-%u", source, target);
        *box = sg_mailbox_by_name(name);
    }
    return *box;
}

/* The actor of one rank. */
static void act(int argc, char **argv)
{
    static char payload;
    uint32_t rank = (uint32_t)strtoul(argv[argc - 1], NULL, 10);
    sg_comm_t *started = calloc(simulation.records, sizeof(*started));
    ccmod_record record = {.kind = CCMOD_WAIT};
    size_t count = 0;
    void *received;

    while (record.kind != CCMOD_END) {
        if (simulation.workload->next(simulation.workload, rank, &record, NULL) != CCMOD_OK)
            exit(fail("the trace cannot be played"));
        if (record.kind == CCMOD_COMPUTE) {
            sg_actor_sleep_for(1e-6 * record.time_us);
        } else if (record.kind == CCMOD_SEND) {
            simulation.messages++;
            sg_mailbox_put(box_of(rank, record.peer), &payload, (long)record.size_bytes);
        } else if (record.kind == CCMOD_START_SEND) {
            simulation.messages++;
            started[count++] =
                sg_mailbox_put_async(box_of(rank, record.peer), &payload, (long)record.size_bytes);
        } else if (record.kind == CCMOD_RECEIVE) {
            sg_mailbox_get(box_of(record.peer, rank));
        } else if (record.kind == CCMOD_START_RECEIVE) {
            started[count++] = sg_mailbox_get_async(box_of(record.peer, rank), &received);
        } else if (record.kind == CCMOD_WAIT) {
            for (size_t i = 0; i < count; i++)
                sg_comm_wait(started[i]);
            count = 0;
        }
    }
    free(started);
}

/* The mailboxes of all pairs that the trace names, before the clock starts. */
static void make_boxes(ccmod_workload *workload)
{
    for (uint32_t rank = 0; rank < simulation.ranks; rank++) {
        ccmod_record record = {.kind = CCMOD_WAIT};

        while (record.kind != CCMOD_END) {
            if (workload->next(workload, rank, &record, NULL) != CCMOD_OK)
                exit(fail("the trace cannot be played"));
            if (record.kind == CCMOD_SEND || record.kind == CCMOD_START_SEND)
                box_of(rank, record.peer);
        }
    }
}

static bool write_platform(const char *path, size_t ranks)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return false;
    fprintf(file,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n"
            "  <cluster id=\"switch\" prefix=\"n\" suffix=\"\" radical=\"0-%zu\" speed=\"1Gf\"\n"
            "           bw=\"1000MBps\" lat=\"0.5us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
            "</platform>\n",
            ranks - 1);
    return fclose(file) == 0;
}

static void make_actors(void)
{
    char host[32], number[32];

    for (size_t i = 0; i < simulation.ranks; i++) {
        char *arguments[] = {number, NULL};

        snprintf(host, sizeof(host), "n%zu", i);
        snprintf(number, sizeof(number), "%zu", i);
        sg_actor_create(host, sg_host_by_name(host), act, 1, arguments);
    }
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int predict(void)
{
    char platform[] = "/tmp/perf_simgrid.XXXXXX";
    int descriptor = mkstemp(platform);
    double before_s;

    if (descriptor < 0 || !write_platform(platform, simulation.ranks))
        return fail("cannot write the platform");
    simgrid_load_platform(platform);
    close(descriptor);
    unlink(platform);
    make_actors();
    before_s = now_s();
    simgrid_run();
    printf("messages %lu end_us %.6f Mps %.4f\n", simulation.messages, 1e6 * simgrid_get_clock(),
           (double)simulation.messages / (now_s() - before_s) / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    ccmod_workload *named = NULL;
    ccmod_trace *trace = NULL;
    ccmod_error error;
    int status;

    simgrid_init(&argc, argv);
    if (argc < 2)
        return fail("usage: perf_simgrid FILE [ready]");
    if (ccmod_trace_open(argv[1], &trace, &error) != CCMOD_OK ||
        ccmod_trace_workload(trace, 1, &simulation.workload, &error) != CCMOD_OK ||
        ccmod_trace_workload(trace, 1, &named, &error) != CCMOD_OK)
        return fail(error.text);
    simulation.ranks = ccmod_trace_ranks(trace);
    simulation.records = ccmod_trace_records(trace);
    simulation.boxes = calloc(simulation.ranks * simulation.ranks, sizeof(*simulation.boxes));
    if (simulation.boxes == NULL)
        return fail("no memory left");
    if (argc > 2)
        make_boxes(named);
    status = predict();
    free(simulation.boxes);
    ccmod_workload_free(simulation.workload);
    ccmod_workload_free(named);
    ccmod_trace_close(trace);
    return status;
}
