/* Whether a send waits for its target (TRANSPORT_SEND_WAITS). The target is idle, in no call of
 * the technology, the control plane or MPI, until its sender reports through shared memory that
 * its sends have returned. */
#include "tests/transport/conformance.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum { MESSAGES = 8, PATH_BYTES = 64, IDLE_MOST_S = 100 };

/* A page with a word for each rank, in a file that rank 0 creates; NULL, in all ranks, if some
 * cannot map it because they are on another host. */
static uint32_t *share_words(void)
{
    const size_t bytes = (size_t)job.size * sizeof(uint32_t);
    char path[PATH_BYTES] = "/tmp/combench-conformance-XXXXXX";
    void *words = MAP_FAILED;
    int file = -1;

    if (job.rank == 0) {
        file = mkstemp(path);
        if (file >= 0 && ftruncate(file, (off_t)bytes) != 0)
            path[0] = '\0';
    }
    REQUIRE_OK(control_broadcast(job.everyone, path, sizeof(path)));
    if (job.rank != 0)
        file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) {
        words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
    }
    if (control_agree(job.everyone, words != MAP_FAILED ? CB_OK : CB_ERROR_SYSTEM) != CB_OK &&
        words != MAP_FAILED) {
        munmap(words, bytes);
        words = MAP_FAILED;
    }
    if (job.rank == 0)
        unlink(path);
    return words != MAP_FAILED ? words : NULL;
}

/* COMBENCH_TEST_IDLE_S serves the test that shows that this test can fail. */
static void be_idle_until(const uint32_t *word, uint32_t value, int sender)
{
    const char *limit = getenv("COMBENCH_TEST_IDLE_S");
    const uint64_t limit_s = limit != NULL ? strtoull(limit, NULL, 10) : IDLE_MOST_S;
    const uint64_t until_ns = cb_now_ns() + limit_s * 1000000000;

    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
        if (cb_now_ns() > until_ns)
            ck_abort_msg(
                "the sends of rank %d have not returned while rank %d did nothing: declare "
                "TRANSPORT_SEND_WAITS, or let a send never wait",
                sender, job.rank);
        cb_sleep_ns(1000000);
    }
}

/* Even ranks send to the next one. */
static void send_to_the_idle(uint32_t *words, uint32_t turn, size_t bytes)
{
    const int other = job.rank % 2 == 0 ? job.rank + 1 : job.rank - 1;

    if (!conformance_can_prepare(bytes) || other >= job.size)
        return;
    if (job.rank % 2 == 0) {
        for (uint64_t number = 0; number < MESSAGES; number++)
            conformance_send(other, number, bytes);
        __atomic_store_n(&words[job.rank], turn, __ATOMIC_RELEASE);
        REQUIRE_OK(transport_flush(here.factory));
        return;
    }
    be_idle_until(&words[other], turn, other);
    for (uint64_t number = 0; number < MESSAGES; number++)
        conformance_receive(other, number, bytes);
}

JOB_TEST(a_send_returns_while_its_target_is_idle)
{
    static const size_t sizes[] = {64, 8192, 1 << 20};
    uint32_t *words;

    if (conformance_declares(TRANSPORT_SEND_WAITS))
        return;
    words = share_words();
    if (words == NULL)
        return;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        send_to_the_idle(words, i + 1, sizes[i]);
        job_barrier();
    }
    munmap(words, (size_t)job.size * sizeof(*words));
}

TCase *conformance_waiting(void)
{
    TCase *theme = tcase_create("waiting");

    tcase_add_test(theme, a_send_returns_while_its_target_is_idle);
    return theme;
}
