/* Functions shared by the tests of libsisci-shm. */
#include "tests/sisci/fixture.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADAPTER = 0 };

static void name_job(void)
{
    char job[32];

    if (getenv("SISCI_TEST_JOB") != NULL) /* set by the test that started this helper */
        return;
    snprintf(job, sizeof(job), "test-%ld", (long)getpid());
    setenv("SISCI_SHM_JOB", job, 1);
    setenv("SISCI_TEST_JOB", job, 1);
}

static sci_desc_t open_device(void)
{
    sci_error_t error;
    sci_desc_t sd;

    SCIInitialize(0, &error);
    ck_ok(error);
    SCIOpen(&sd, 0, &error);
    ck_ok(error);
    return sd;
}

sci_desc_t begin(void)
{
    name_job();
    return open_device();
}

sci_desc_t begin_with(const char *faults)
{
    setenv("SISCI_SHM_FAULTS", faults, 1);
    return begin();
}

/* The name of another job may have ours as a prefix. */
bool is_of_this_job(const char *name)
{
    char part[80];

    snprintf(part, sizeof(part), ".%s.", getenv("SISCI_SHM_JOB"));
    return strstr(name, part) != NULL;
}

static sci_local_segment_t offer_as(sci_desc_t sd, unsigned id, size_t size, unsigned flags)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, id, size, NULL, NULL, flags, &error);
    ck_ok(error);
    SCIPrepareSegment(segment, ADAPTER, flags, &error);
    ck_ok(error);
    SCISetSegmentAvailable(segment, ADAPTER, 0, &error);
    ck_ok(error);
    return segment;
}

sci_local_segment_t offer(sci_desc_t sd, unsigned id, size_t size)
{
    return offer_as(sd, id, size, 0);
}

sci_local_segment_t offer_member(sci_desc_t sd, unsigned id, size_t size)
{
    return offer_as(sd, id, size, SCI_FLAG_BROADCAST);
}

static sci_remote_segment_t reach_as(sci_desc_t sd, unsigned node, unsigned id, unsigned flags)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    SCIConnectSegment(sd, &segment, node, id, ADAPTER, NULL, NULL, SCI_INFINITE_TIMEOUT, flags,
                      &error);
    ck_ok(error);
    return segment;
}

sci_remote_segment_t reach(sci_desc_t sd, unsigned node, unsigned id)
{
    return reach_as(sd, node, id, 0);
}

sci_remote_segment_t reach_group(sci_desc_t sd, unsigned id)
{
    return reach_as(sd, DIS_BROADCAST_NODEID_GROUP_ALL, id, SCI_FLAG_BROADCAST);
}

volatile unsigned *map_remote(sci_remote_segment_t segment, sci_map_t *map)
{
    bool group = SCIGetRemoteSegmentNodeId(segment) == DIS_BROADCAST_NODEID_GROUP_ALL;
    sci_error_t error;
    volatile void *memory = SCIMapRemoteSegment(segment, map, 0, SCIGetRemoteSegmentSize(segment),
                                                NULL, group ? SCI_FLAG_BROADCAST : 0, &error);

    ck_ok(error);
    return memory;
}

unsigned *map_local(sci_local_segment_t segment, sci_map_t *map)
{
    sci_error_t error;
    void *memory =
        SCIMapLocalSegment(segment, map, 0, SCIGetLocalSegmentSize(segment), NULL, 0, &error);

    ck_ok(error);
    return memory;
}

sci_sequence_t watch(sci_map_t map)
{
    sci_sequence_t sequence;
    sci_error_t error;

    SCICreateMapSequence(map, &sequence, 0, &error);
    ck_ok(error);
    return sequence;
}

/* A failed assertion ends the helper; so does the end of the test, since no process would wait
 * for it. */
static int run_body(int (*body)(helper *test, const void *argument), const void *argument,
                    helper *test, unsigned node)
{
    char text[16];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (node != 0) {
        snprintf(text, sizeof(text), "%u", node);
        setenv("SISCI_SHM_NODE", text, 1);
    }
    return body(test, argument);
}

helper helper_start(int (*body)(helper *test, const void *argument), const void *argument,
                    unsigned node)
{
    int there[2], back[2];
    helper other;

    name_job();
    if (pipe(there) != 0 || pipe(back) != 0)
        ck_abort_msg("no pipes");
    other.pid = fork();
    ck_assert_int_ge(other.pid, 0);
    if (other.pid == 0) {
        helper test = {.pid = getppid(), .to = back[1], .from = there[0]};

        close(there[1]);
        close(back[0]);
        exit(run_body(body, argument, &test, node));
    }
    close(there[0]);
    close(back[1]);
    other.to = there[1];
    other.from = back[0];
    return other;
}

void tell(const helper *other, char letter)
{
    ck_assert_int_eq(write(other->to, &letter, 1), 1);
}

char hear(const helper *other)
{
    char came = 0;

    ck_assert_int_eq(read(other->from, &came, 1), 1);
    return came;
}

bool pending_letter(const helper *other)
{
    struct pollfd letters = {.fd = other->from, .events = POLLIN};

    return poll(&letters, 1, 0) == 1 && (letters.revents & POLLIN) != 0;
}

void expect(const helper *other, char letter)
{
    ck_assert_int_eq(hear(other), letter);
}

void insist_on(const helper *other)
{
    siginfo_t end = {0};

    ck_assert_int_eq(waitid(P_PID, (id_t)other->pid, &end, WEXITED | WNOHANG | WNOWAIT), 0);
    ck_assert_msg(end.si_pid == 0, "a helper has ended early, with status %d", end.si_status);
}

void helper_finish(helper *other)
{
    int status;

    ck_assert_int_eq(waitpid(other->pid, &status, 0), other->pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* waitid() with WNOWAIT returns when the child is a zombie and leaves it one. */
void helper_kill(const helper *other)
{
    siginfo_t end;

    ck_assert_int_eq(kill(other->pid, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)other->pid, &end, WEXITED | WNOWAIT), 0);
}
