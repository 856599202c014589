/* A list of technologies for the conformance test: ofi, ucx and rma over drivers that are called
 * less often than the protocol asks, at random. A send or word is refused for want of room, and a
 * poll finds nothing, so that messages wait in queues, arrive together, and credits are late. */
#include <string.h>

#include "base/random.h"
#include "transport/remote/remote.h"

extern const transport_technology transport_ofi, transport_ucx, transport_rma;

enum { SHAKEN = 3, REFUSED_PCT = 30, IDLE_PCT = 5, IDLE_POLLS_MOST = 50 };

/* A technology, and the copies that are changed. */
typedef struct {
    const transport_technology *real;
    const remote_driver *driver;
    transport_technology technology;
    remote_driver shaken;
} shaken_driver;

static shaken_driver all[SHAKEN];
static _Thread_local cb_random numbers;
static _Thread_local unsigned idle_polls;
static _Thread_local bool seeded, refused;

static bool chance(const remote_factory *factory, uint64_t percent)
{
    if (!seeded)
        numbers = cb_random_seed((uint64_t)factory->base.rank + 1);
    seeded = true;
    return cb_random_below(&numbers, 100) < percent;
}

/* Never two in succession, since the protocol tries again at once, and a test may not call it again
 * before its message has arrived. */
static bool refuses(const remote_factory *factory)
{
    refused = !refused && chance(factory, REFUSED_PCT);
    return refused;
}

static const remote_driver *real_of(const remote_factory *factory)
{
    int i = 0;

    while (i + 1 < SHAKEN && factory->driver != &all[i].shaken)
        i++;
    return all[i].driver;
}

static cb_status shaken_send(remote_factory *factory, int rank, const remote_header *header,
                             transport_buffer *buffer)
{
    return refuses(factory) ? CB_EMPTY : real_of(factory)->send(factory, rank, header, buffer);
}

static cb_status shaken_tell(remote_factory *factory, int rank, remote_word word, uint32_t value)
{
    return refuses(factory) ? CB_EMPTY : real_of(factory)->tell(factory, rank, word, value);
}

/* A poll for no rank is that of a send without credit, which is not called again either. */
static cb_status shaken_poll(remote_factory *factory, int from)
{
    if (from < 0)
        return real_of(factory)->poll(factory, from);
    if (idle_polls == 0 && chance(factory, IDLE_PCT))
        idle_polls = (unsigned)cb_random_below(&numbers, IDLE_POLLS_MOST) + 1;
    if (idle_polls > 0) {
        idle_polls--;
        return CB_OK;
    }
    return real_of(factory)->poll(factory, from);
}

/* The factory has its technology's driver until it is open. */
static cb_status open_shaken(shaken_driver *here, const transport_bootstrap *bootstrap,
                             transport_factory **out)
{
    remote_factory *factory;

    CB_TRY(here->real->open(bootstrap, out));
    factory = remote_factory_of(*out);
    here->driver = factory->driver;
    here->shaken = *factory->driver;
    here->shaken.send = shaken_send;
    here->shaken.tell = shaken_tell;
    here->shaken.poll = shaken_poll;
    factory->driver = &here->shaken;
    return CB_OK;
}

#define OPEN_SHAKEN(i)                                                                             \
    static cb_status open_##i(const transport_bootstrap *bootstrap, transport_factory **out)       \
    {                                                                                              \
        return open_shaken(&all[i], bootstrap, out);                                               \
    }

OPEN_SHAKEN(0)
OPEN_SHAKEN(1)
OPEN_SHAKEN(2)

const transport_technology *const transport_technologies[] = {
    &all[0].technology, &all[1].technology, &all[2].technology, NULL};

/* The copies are made before main, which looks for technologies by name. */
__attribute__((constructor)) static void copy_technologies(void)
{
    static const transport_technology *const real[SHAKEN] = {&transport_ofi, &transport_ucx,
                                                             &transport_rma};
    static cb_status (*const opens[SHAKEN])(const transport_bootstrap *bootstrap,
                                            transport_factory **out) = {open_0, open_1, open_2};

    for (int i = 0; i < SHAKEN; i++) {
        all[i].real = real[i];
        all[i].technology = *real[i];
        if (real[i]->open != NULL)
            all[i].technology.open = opens[i];
    }
}
