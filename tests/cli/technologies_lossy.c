/* A list of technologies for farms that are tests: beside the built-in ones `lossy`, which is mpi
 * with defects and declares itself neither reliable nor ordered, and `broken`, which has the same
 * defects and declares that it has none.
 *
 * CB_FAULT           defects, see defects.h, separated by commas: each message that is hit has one
 *                    of them; no fault without it
 * CB_FAULT_WHAT      the kind of message that is hit: note (from the supervisor), request,
 *                    fragment, decision; or any
 * CB_FAULT_EVERY     of this many of them in a row one is hit, at random
 * CB_FAULT_SEED      with this seed; each rank draws differently
 * CB_FAULT_RANK      or: of the rank that is hit
 * CB_FAULT_VERIFIED  the number, from 0, of the one message of that kind in the verification pass
 *
 * Rank 0 supervises. All messages but fragments have 16 bytes, so fragments must not. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/cli/defects.h"

enum { NOTE_BYTES = 16, DEFECTS = 8 };

static transport_technology lossy, broken;

static struct {
    defect defects[DEFECTS];
    size_t defect_count;
    const char *what;
    uint64_t every, rank, verified;
    cb_random random;
    bool seeded;
    uint64_t left, chosen; /* state of the current block of CB_FAULT_EVERY messages: one is hit when
                              the chosen number is left */
    bool patient;  /* in the verification pass a closed loop polls for messages and does not wait */
    uint64_t sent; /* number of messages of the kind that is hit, in the verification pass */
} fault;

static const char *kind_of(const transport_node *node, const transport_buffer *buffer)
{
    if (node->factory->rank == 0)
        return "note";
    if (buffer->size != NOTE_BYTES)
        return "fragment";
    return node->rank == 0 ? "decision" : "request";
}

static bool drawn(const transport_node *node)
{
    if (!fault.seeded)
        fault.random = cb_random_seed(defect_number("CB_FAULT_SEED", 1) * 1000 +
                                      (uint64_t)node->factory->rank);
    fault.seeded = true;
    if (fault.left == 0) {
        fault.left = fault.every;
        fault.chosen = cb_random_below(&fault.random, fault.every);
    }
    return --fault.left == fault.chosen;
}

static bool is_hit(const transport_node *node, const transport_buffer *buffer)
{
    if (fault.defect_count == 0 || buffer->size == 0 ||
        (strcmp(fault.what, "any") != 0 && strcmp(fault.what, kind_of(node, buffer)) != 0))
        return false;
    if (fault.every > 0)
        return drawn(node);
    return fault.patient && (uint64_t)node->factory->rank == fault.rank &&
           fault.sent++ == fault.verified;
}

static cb_status lossy_send(transport_node *node, transport_buffer *buffer)
{
    size_t which = 0;

    if (!is_hit(node, buffer))
        return defect_send((defect_way){.node = node}, buffer);
    if (fault.defect_count > 1)
        which = cb_random_below(&fault.random, fault.defect_count);
    return fault.defects[which]((defect_way){.node = node}, buffer);
}

/* A loop of sends, each with its own copy, so that each can be hit. */
static cb_status lossy_group_send(transport_group *group, transport_buffer *buffer)
{
    for (size_t i = 0; i < group->count; i++) {
        transport_buffer *copy = transport_buffer_create(group->factory, buffer->size);

        if (copy == NULL)
            return CB_ERROR_MEMORY;
        memcpy(copy->data, buffer->data, buffer->size);
        CB_TRY(lossy_send(group->nodes[i], copy));
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status lossy_try_receive(transport_group *group, transport_buffer **out,
                                   transport_node **from)
{
    fault.patient = true;
    return transport_mpi.group_try_receive(group, out, from);
}

/* A message that is held back is not lost: it is sent at the end of the run. */
static cb_status lossy_flush(transport_factory *factory)
{
    fault.patient = false;
    CB_TRY(defect_send_held());
    return transport_mpi.flush(factory);
}

static void choose_defects(void)
{
    static char names[128];
    const char *wanted = getenv("CB_FAULT");

    strncat(names, wanted != NULL ? wanted : "", sizeof(names) - 1);
    for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        defect one = defect_named(name);

        if (one == NULL || fault.defect_count == DEFECTS)
            abort();
        fault.defects[fault.defect_count++] = one;
    }
}

/* The operations of mpi are known at link time only, so these tables are completed when the
 * program starts. */
__attribute__((constructor)) static void make_technologies(void)
{
    choose_defects();
    fault.what = getenv("CB_FAULT_WHAT") != NULL ? getenv("CB_FAULT_WHAT") : "any";
    fault.every = defect_number("CB_FAULT_EVERY", 0);
    fault.rank = defect_number("CB_FAULT_RANK", 0);
    fault.verified = defect_number("CB_FAULT_VERIFIED", UINT64_MAX);
    broken = transport_mpi;
    broken.name = "broken";
    broken.send = lossy_send;
    broken.group_send = lossy_group_send;
    broken.group_try_receive = lossy_try_receive;
    broken.flush = lossy_flush;
    lossy = broken;
    lossy.name = "lossy";
    lossy.capabilities &= ~(unsigned)(TRANSPORT_RELIABLE | TRANSPORT_ORDERED);
}

const transport_technology *const transport_technologies[] = {
    &transport_mpi, &transport_null, &lossy, &broken, NULL,
};
