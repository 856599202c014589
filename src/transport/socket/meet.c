/* What the ranks of a job exchange at open: the host of each rank, the key drawn by rank 0, and the
 * address of each. */
#include "transport/socket/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/common/host.h"

typedef struct {
    transport_host host;
    socket_key key;
    cb_status status;
} introduction;

typedef struct {
    struct sockaddr_in address;
    cb_status status;
} whereabouts;

static cb_status draw_key(socket_key *key)
{
    if (getrandom(key->bytes, sizeof(key->bytes), 0) == (ssize_t)sizeof(key->bytes))
        return CB_OK;
    cb_error("cannot draw a key for the job: %m; see random(7)");
    return CB_ERROR_SYSTEM;
}

static bool same_host(const transport_host *one, const transport_host *other)
{
    return transport_same_host(one, other) && one->network == other->network;
}

/* Derive this process's place from the introductions of all ranks. */
static void derive_place(const introduction *all, int rank, int size, socket_place *out,
                         bool *one_host)
{
    *one_host = true;
    out->local_rank = 0;
    for (int other = 0; other < size; other++) {
        const bool here = same_host(&all[other].host, &all[rank].host);

        *one_host = *one_host && here;
        out->local_rank += here && other < rank;
    }
    out->key = all[0].key;
}

/* The name of a list "eth0,eth1" that is for this rank of its host. */
static void name_for(const char *names, unsigned local_rank, char *name, size_t bytes)
{
    unsigned count = 1, chosen;

    for (const char *at = names; *at != '\0'; at++)
        count += *at == ',';
    for (chosen = local_rank % count; chosen > 0; chosen--)
        names = strchr(names, ',') + 1;
    snprintf(name, bytes, "%.*s", (int)strcspn(names, ","), names);
}

cb_status socket_meet(const transport_bootstrap *bootstrap, const char *technology,
                      socket_place *out)
{
    const char *names = bootstrap->settings != NULL ? bootstrap->settings->interface : NULL;
    char name[256];
    introduction mine = {.status = CB_OK}, *all;
    cb_status status;
    bool one_host;

    transport_identify_host(&mine.host);
    mine.status = draw_key(&mine.key);
    all = cb_allocate((size_t)bootstrap->size, sizeof(*all), technology);
    if (all == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = bootstrap->exchange(bootstrap->context, &mine, sizeof(mine), all));
    for (int rank = 0; rank < bootstrap->size; rank++)
        CB_TRY_TO(done, status = all[rank].status);
    derive_place(all, bootstrap->rank, bootstrap->size, out, &one_host);
done:
    free(all);
    CB_TRY(status);
    if (names != NULL)
        name_for(names, out->local_rank, name, sizeof(name));
    return socket_agree(
        bootstrap, socket_choose_interface(names != NULL ? name : NULL, one_host, &out->interface));
}

cb_status socket_exchange_addresses(const transport_bootstrap *bootstrap, cb_status status,
                                    const struct sockaddr_in *mine, struct sockaddr_in *all)
{
    const size_t size = (size_t)bootstrap->size;
    const whereabouts here = {.address = *mine, .status = status};
    whereabouts *found = cb_allocate(size, sizeof(*found), "the addresses of all ranks");

    if (found == NULL)
        return CB_ERROR_MEMORY;
    status = bootstrap->exchange(bootstrap->context, &here, sizeof(here), found);
    for (size_t rank = 0; status == CB_OK && rank < size; rank++) {
        status = found[rank].status;
        all[rank] = found[rank].address;
    }
    free(found);
    return status;
}

cb_status socket_agree(const transport_bootstrap *bootstrap, cb_status status)
{
    const size_t size = (size_t)bootstrap->size;
    cb_status *all = cb_allocate(size, sizeof(*all), "the outcomes of all ranks"), worst;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    worst = bootstrap->exchange(bootstrap->context, &status, sizeof(status), all);
    for (size_t rank = 0; worst == CB_OK && rank < size; rank++)
        worst = all[rank];
    free(all);
    return worst;
}

bool socket_key_matches(const unsigned char *bytes, const socket_key *key)
{
    unsigned difference = 0;

    for (size_t i = 0; i < SOCKET_KEY_BYTES; i++)
        difference |= (unsigned)(bytes[i] ^ key->bytes[i]);
    return difference == 0;
}
