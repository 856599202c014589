/* The technology rma: the window and where others find what in it.
 *
 * The window of a process is allocated by the library, which may place it where others reach it
 * directly. It has the mailboxes of all sources, then their slots. */
#include "transport/rma/internal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

__attribute__((cold)) cb_status rma_failed(rma_factory *rma, int rank, const char *attempt,
                                           int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    text[length] = '\0';
    return remote_lose(&rma->remote, rank, attempt, text);
}

/* Errors of opening: no rank is lost by them. */
static cb_status refuse(const char *attempt, int code, const char *remedy)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("MPI cannot %s for the technology rma: %.*s; %s", attempt, length, text, remedy);
    return CB_ERROR_TRANSPORT;
}

static const char other_component[] =
    "choose another --technology, or give the library a one-sided component for this network (Open "
    "MPI between hosts over TCP: OMPI_MCA_osc=pt2pt)";

/* What is written by others has to appear in this process's own memory. */
static cb_status check_model(MPI_Win window)
{
    const int *model = NULL;
    int found = 0;
    int code = MPI_Win_get_attr(window, MPI_WIN_MODEL, (void *)&model, &found);

    if (code != MPI_SUCCESS)
        return refuse("tell the memory model of a window", code, other_component);
    if (found && *model == MPI_WIN_UNIFIED)
        return CB_OK;
    cb_error("cannot use the technology rma: the windows of this MPI library have the separate "
             "memory model (MPI_WIN_SEPARATE), in which a process does not see what others write "
             "to it; choose another --technology, or another one-sided component of the library");
    return CB_ERROR_UNSUPPORTED;
}

/* Errors of a collective call, in which other ranks may be waiting. */
static cb_status refuse_alone(rma_factory *rma, const char *attempt, int code, const char *remedy)
{
    rma->remote.alone = true;
    return refuse(attempt, code, remedy);
}

/* The window of all processes. *begin is on a cache line, `offset` bytes after its beginning, which
 * need not be. */
static cb_status allocate_window(rma_factory *rma, size_t bytes, unsigned char **begin,
                                 MPI_Aint *offset)
{
    const size_t window_bytes = bytes + CB_CACHE_LINE;
    unsigned char *memory = NULL;
    char shortage[TRANSPORT_SHORTAGE_BYTES];
    bool is_short;
    int code = MPI_Comm_dup(MPI_COMM_WORLD, &rma->communicator);

    if (code != MPI_SUCCESS)
        return refuse_alone(rma, "make a communicator", code, other_component);
    rma->stage = RMA_COMMUNICATOR;
    MPI_Comm_set_errhandler(rma->communicator, MPI_ERRORS_RETURN);
    is_short = transport_shm_is_short(window_bytes * remote_ranks_here(&rma->remote), shortage);
    code = MPI_Win_allocate((MPI_Aint)window_bytes, 1, MPI_INFO_NULL, rma->communicator,
                            (void *)&memory, &rma->window);
    if (code != MPI_SUCCESS)
        return refuse_alone(rma, "allocate a window", code, is_short ? shortage : other_component);
    rma->stage = RMA_WINDOW;
    MPI_Win_set_errhandler(rma->window, MPI_ERRORS_RETURN);
    CB_TRY(check_model(rma->window));
    code = MPI_Win_lock_all(MPI_MODE_NOCHECK, rma->window);
    if (code != MPI_SUCCESS)
        return refuse("open the access to a window", code, other_component);
    rma->stage = RMA_LOCKED;
    *offset = (MPI_Aint)((CB_CACHE_LINE - (uintptr_t)memory % CB_CACHE_LINE) % CB_CACHE_LINE);
    *begin = memory + *offset;
    return CB_OK;
}

/* The library's files of shared memory, by which its component that serves a window is known. */
static const struct {
    const char *beginning, *meaning;
} known_files[] = {
    {"osc_sm.", "osc sm"},
    {"osc_rdma.", "osc rdma"},
    {"mpich_shar", "MPICH shared memory"},
    {"SYSV", "System V shared memory"},
};

static const char *meaning_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return "private memory";
    for (size_t i = 0; i < sizeof(known_files) / sizeof(known_files[0]); i++)
        if (strncmp(slash + 1, known_files[i].beginning, strlen(known_files[i].beginning)) == 0)
            return known_files[i].meaning;
    return "shared memory";
}

/* Record what memory the window is made of. No call of MPI tells which component serves it. */
static void describe_window(remote_factory *factory, const void *memory)
{
    const char *meaning = "unknown memory";
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        uintptr_t from, to;
        int path = 0;

        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s%n", &from, &to, &path) == 2 &&
            from <= (uintptr_t)memory && (uintptr_t)memory < to)
            meaning = meaning_of(line + path);
    }
    if (maps != NULL)
        fclose(maps);
    snprintf(factory->base.network, sizeof(factory->base.network), "window in %s", meaning);
}

static size_t mailbox_bytes_of(const remote_factory *factory)
{
    return (factory->outstanding * sizeof(uint64_t) + CB_CACHE_LINE - 1) / CB_CACHE_LINE *
           CB_CACHE_LINE;
}

static cb_status make_peers(rma_factory *rma)
{
    const size_t ranks = (size_t)rma->remote.base.size, outstanding = rma->remote.outstanding;

    rma->peers = cb_allocate(ranks, sizeof(*rma->peers), "the nodes");
    rma->words = cb_allocate(ranks * outstanding, sizeof(*rma->words), "the announcements");
    if (rma->peers == NULL || rma->words == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++) {
        rma->peers[rank].words = rma->words + rank * outstanding;
        for (size_t word = 0; word < RMA_WORDS; word++)
            rma->peers[rank].requests[word] = MPI_REQUEST_NULL;
    }
    return CB_OK;
}

/* Collective, since MPI_Win_allocate is. */
cb_status rma_window_open(remote_factory *factory, const transport_bootstrap *bootstrap,
                          void **address, size_t *address_bytes)
{
    rma_factory *rma = rma_factory_of(factory);
    const size_t ranks = (size_t)bootstrap->size, mailbox_bytes = mailbox_bytes_of(factory);
    rma_address *mine = cb_allocate(1, sizeof(*mine), "an address");
    unsigned char *begin = NULL;
    MPI_Aint offset = 0;

    *address = mine;
    *address_bytes = sizeof(*mine);
    CB_TRY(remote_agree(bootstrap, mine != NULL ? make_peers(rma) : CB_ERROR_MEMORY));
    CB_TRY(allocate_window(rma, ranks * mailbox_bytes + factory->memory_bytes, &begin, &offset));
    memset(begin, 0, ranks * mailbox_bytes);
    for (size_t rank = 0; rank < ranks; rank++)
        rma->peers[rank].here = (const uint64_t *)(const void *)(begin + rank * mailbox_bytes);
    factory->memory = begin + ranks * mailbox_bytes;
    factory->writes = true;
    factory->piece_limit = INT_MAX - REMOTE_PREFIX_BYTES;
    *mine = (rma_address){.mailboxes = (uint64_t)offset,
                          .slots = (uint64_t)offset + ranks * mailbox_bytes};
    describe_window(factory, begin);
    return CB_OK;
}

/* Each process has the mailboxes and slots of all others in the order of ranks. */
cb_status rma_window_connect(remote_factory *factory, int rank, const void *address, size_t bytes)
{
    rma_peer *peer = &rma_factory_of(factory)->peers[rank];
    const size_t slots_bytes = (size_t)factory->outstanding * factory->slot_bytes;
    const size_t self = (size_t)factory->base.rank;
    rma_address there;

    (void)bytes;
    memcpy(&there, address, sizeof(there));
    peer->mailbox = (MPI_Aint)(there.mailboxes + self * mailbox_bytes_of(factory));
    peer->slots = (MPI_Aint)(there.slots + self * slots_bytes);
    return CB_OK;
}

/* Freeing a window is collective: with a lost rank it would wait for it for ever, or with ranks
 * that wait in a call that failed here. Ranks that lost none wait for this one then, until the job
 * is ended because of the error. What has not left stays with the library. */
void rma_window_close(remote_factory *factory)
{
    rma_factory *rma = rma_factory_of(factory);

    if (factory->any_lost || factory->alone) {
        if (rma->peers != NULL && factory->driver->idle(factory))
            free(rma->peers);
        return;
    }
    if (rma->stage == RMA_LOCKED) {
        for (int rank = 0; rank < factory->base.size; rank++)
            MPI_Waitall(RMA_WORDS, rma->peers[rank].requests, MPI_STATUSES_IGNORE);
        MPI_Win_unlock_all(rma->window);
    }
    if (rma->stage >= RMA_WINDOW)
        MPI_Win_free(&rma->window);
    if (rma->stage >= RMA_COMMUNICATOR)
        MPI_Comm_free(&rma->communicator);
    free(rma->peers);
    free(rma->words);
}
