/* Fixture of the tests of libsisci-shm: a separate job, calls that must succeed, and helper
 * processes. Check runs each test in its own process, so the library starts again in each. */
#ifndef TESTS_SISCI_FIXTURE_H
#define TESTS_SISCI_FIXTURE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sisci_api.h"

#include "tests/common/unit.h"

/* Timeouts in milliseconds, for events that must occur and for events that must not. */
enum { SOON_MS = 60000, NOT_MS = 1 };

/* Name a job for this test and initialise the library; with faults, in lossy mode. Returns a
 * device. */
sci_desc_t begin(void);
sci_desc_t begin_with(const char *faults);

/* Whether a name of the registry belongs to the job of this test. */
bool is_of_this_job(const char *name);

/* Create a segment of this process: prepared, and available unless `size` says otherwise. */
sci_local_segment_t offer(sci_desc_t sd, unsigned id, size_t size);
sci_local_segment_t offer_member(sci_desc_t sd, unsigned id, size_t size);

/* Connections and maps that must succeed. */
sci_remote_segment_t reach(sci_desc_t sd, unsigned node, unsigned id);
sci_remote_segment_t reach_group(sci_desc_t sd, unsigned id);
volatile unsigned *map_remote(sci_remote_segment_t segment, sci_map_t *map);
unsigned *map_local(sci_local_segment_t segment, sci_map_t *map);
sci_sequence_t watch(sci_map_t map);

#define ck_ok(error) ck_assert_str_eq(SCIGetErrorString(error), SCIGetErrorString(SCI_ERR_OK))
#define ck_error(error, wanted)                                                                    \
    ck_assert_str_eq(SCIGetErrorString(error), SCIGetErrorString(wanted))

/* A helper process: a child that starts the library itself and exchanges single letters with the
 * test. */
typedef struct {
    pid_t pid;
    int to, from;
} helper;

/* Start `body` in a child, in the same job; what it returns is its exit status. Before the test's
 * own begin(), since a sanitizer's view of the threads of a parent is wrong in its child. `node` 0:
 * the same node. */
helper helper_start(int (*body)(helper *test, const void *argument), const void *argument,
                    unsigned node);

/* Send a letter, wait for any letter, or require one. The same calls serve test and helper. */
void tell(const helper *other, char letter);
char hear(const helper *other);
void expect(const helper *other, char letter);

/* Whether a letter has arrived. */
bool pending_letter(const helper *other);

/* Fail if a helper has exited, since the awaited event would never occur. */
void insist_on(const helper *other);

/* Wait for a helper to exit with status 0. */
void helper_finish(helper *other);

/* Kill the helper by SIGKILL; it is a zombie when this returns. */
void helper_kill(const helper *other);

/* Wait for a condition; after a minute the test fails with this message. */
#define until(condition)                                                                           \
    for (time_t until_began = time(NULL); sched_yield(), !(condition);)                            \
    ck_assert_msg(time(NULL) - until_began <= 60, "not within 60 s: %s", #condition)

#endif
