/* Limits of the host: full /dev/shm, other users, other jobs, and objects of dead processes.
 * Tests that need a separate /dev/shm or another user are skipped where that is not permitted. */
#include "tests/sisci/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sisci/registry.h"

enum { ID = 31, BYTES = 8192, UNPRIVILEGED = 65534 };

static sci_error_t try_to_create(sci_desc_t sd, unsigned id, size_t size, unsigned flags)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, id, size, NULL, NULL, flags, &error);
    return error;
}

static sci_error_t try_to_connect(sci_desc_t sd)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    SCIConnectSegment(sd, &segment, 4, ID, 0, NULL, NULL, 0, 0, &error);
    return error;
}

/* No room. */

static size_t objects_of_job(void)
{
    sisci_name user = sisci_name_user();
    sisci_names all;
    size_t count = 0;

    ck_assert(sisci_names_list(&user, &all));
    for (size_t i = 0; i < all.count; i++)
        count += is_of_this_job(all.names[i].text);
    sisci_names_free(&all);
    return count;
}

/* Any user may limit the size of files, which includes shared memory objects. */
START_TEST(a_segment_that_does_not_fit_leaves_no_object)
{
    sci_desc_t sd = begin();
    size_t before = objects_of_job();
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = SISCI_CONTROL_BYTES + BYTES;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_error(try_to_create(sd, ID, BYTES + 1, 0), SCI_ERR_NOSPC);
    ck_assert_uint_eq(objects_of_job(), before);
    ck_ok(try_to_create(sd, ID, BYTES, 0));
}
END_TEST

/* Mount a separate /dev/shm of one MiB for this process; false if that is not permitted. */
static bool have_small_memory(void)
{
    if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("none", "/dev/shm", "tmpfs", 0, "size=1m,mode=1777") == 0)
        return true;
    fprintf(stderr, "left out: no /dev/shm of its own for this test: %s\n", strerror(errno));
    return false;
}

/* Fill /dev/shm completely. */
static void fill_memory(void)
{
    static const char block[4096];
    int file = open("/dev/shm/filling", O_WRONLY | O_CREAT, 0600);

    ck_assert_int_ge(file, 0);
    while (write(file, block, sizeof(block)) > 0)
        continue;
    ck_assert_int_eq(errno, ENOSPC);
    close(file);
}

START_TEST(in_full_memory_new_objects_are_refused)
{
    unsigned number;
    sci_local_interrupt_t interrupt;
    sci_local_data_interrupt_t data_interrupt;
    sci_error_t error;
    sci_desc_t sd;

    if (!have_small_memory())
        return;
    sd = begin();
    fill_memory();
    ck_error(try_to_create(sd, ID, BYTES, 0), SCI_ERR_NOSPC);
    ck_error(try_to_create(sd, ID, BYTES, SCI_FLAG_BROADCAST), SCI_ERR_NOSPC);
    SCICreateInterrupt(sd, &interrupt, 0, &number, NULL, NULL, 0, &error);
    ck_error(error, SCI_ERR_NOSPC);
    SCICreateDataInterrupt(sd, &data_interrupt, 0, &number, NULL, NULL, 0, &error);
    ck_error(error, SCI_ERR_NOSPC);
    ck_assert_uint_eq(objects_of_job(), 1);
    unlink("/dev/shm/filling");
    ck_ok(try_to_create(sd, ID, BYTES, 0));
}
END_TEST

START_TEST(in_full_memory_no_process_can_start)
{
    sci_error_t error;

    if (!have_small_memory())
        return;
    setenv("SISCI_SHM_JOB", "full", 1);
    fill_memory();
    SCIInitialize(0, &error);
    ck_error(error, SCI_ERR_NOSPC);
    ck_assert_uint_eq(objects_of_job(), 0);
    unlink("/dev/shm/filling");
    SCIInitialize(0, &error);
    ck_ok(error);
    SCITerminate();
}
END_TEST

START_TEST(full_memory_does_not_stop_existing_connections)
{
    sci_map_t local, remote;
    volatile unsigned *there;
    unsigned *here;
    sci_desc_t sd;

    if (!have_small_memory())
        return;
    sd = begin();
    here = map_local(offer(sd, ID, BYTES), &local);
    fill_memory();
    there = map_remote(reach(sd, 4, ID), &remote);
    there[BYTES / sizeof(*there) - 1] = 7;
    SCIFlush(NULL, 0);
    ck_assert_uint_eq(here[BYTES / sizeof(*here) - 1], 7);
}
END_TEST

/* Other users. */

/* Become another user; the helper reports if that is not possible. */
static bool drop_privileges(helper *test)
{
    bool done = geteuid() != UNPRIVILEGED && setgid(UNPRIVILEGED) == 0 && setuid(UNPRIVILEGED) == 0;

    tell(test, done ? 'n' : 'x');
    if (!done)
        fprintf(stderr, "left out: this user cannot become another: %s\n", strerror(errno));
    return done;
}

static int look_for_the_segment(helper *test, const void *unused)
{
    sci_desc_t sd;

    (void)unused;
    if (!drop_privileges(test))
        return 0;
    expect(test, 's');
    sd = begin();
    ck_error(try_to_connect(sd), SCI_ERR_NO_SUCH_SEGMENT);
    ck_ok(try_to_create(sd, ID, BYTES, 0));
    SCITerminate();
    return 0;
}

START_TEST(users_with_the_same_job_and_node_are_separate)
{
    helper other = helper_start(look_for_the_segment, NULL, 0);
    bool is_another = hear(&other) == 'n';

    if (is_another) {
        offer(begin(), ID, BYTES);
        tell(&other, 's');
    }
    helper_finish(&other);
}
END_TEST

/* Called before the helper becomes another user. */
static sisci_name name_of_segment(void)
{
    return sisci_name_numbered(getenv("SISCI_SHM_JOB"), 4, SISCI_KIND_SEGMENT, ID);
}

static int open_the_segment(helper *test, const void *unused)
{
    sisci_name name = name_of_segment();

    (void)unused;
    if (!drop_privileges(test))
        return 0;
    expect(test, 's');
    ck_assert_int_lt(shm_open(name.text, O_RDONLY, 0), 0);
    ck_assert_int_eq(errno, EACCES);
    return 0;
}

START_TEST(another_user_cannot_open_an_object)
{
    helper other = helper_start(open_the_segment, NULL, 0);
    bool is_another = hear(&other) == 'n';

    if (is_another) {
        offer(begin(), ID, BYTES);
        tell(&other, 's');
    }
    helper_finish(&other);
}
END_TEST

/* A complete object under a name of the test's user, which anyone may open. */
static int forge_a_segment(helper *test, const void *unused)
{
    sisci_name name = name_of_segment();
    sisci_process self = sisci_process_self();
    sisci_object object;

    (void)unused;
    if (!drop_privileges(test))
        return 0;
    ck_assert_int_eq(
        sisci_object_create(&name, SISCI_KIND_SEGMENT, &self, SISCI_CONTROL_BYTES + BYTES, &object),
        SISCI_OBJECT_OK);
    fchmod(object.file, 0666);
    sisci_object_publish(&object);
    tell(test, 'f');
    expect(test, 'q');
    sisci_object_unlink(&name);
    return 0;
}

START_TEST(connecting_to_an_object_of_another_user_is_refused)
{
    helper other = helper_start(forge_a_segment, NULL, 0);
    bool is_another = hear(&other) == 'n';

    if (is_another) {
        expect(&other, 'f');
        ck_error(try_to_connect(begin()), SCI_ERR_NO_SUCH_SEGMENT);
        tell(&other, 'q');
    }
    helper_finish(&other);
}
END_TEST

/* Called in a separate /dev/shm: in the real one this lock would stop every other program of the
 * test's user. */
static int forge_the_lock(helper *test, const void *unused)
{
    sisci_name name = sisci_name_lock();
    int file;

    (void)unused;
    if (!drop_privileges(test))
        return 0;
    file = shm_open(name.text, O_RDWR | O_CREAT | O_EXCL, 0666);
    ck_assert_int_ge(file, 0);
    fchmod(file, 0666);
    tell(test, 'f');
    expect(test, 'q');
    return 0;
}

/* Run SCIInitialize() with stderr in a file, whose text is stored in `message`. */
static sci_error_t initialise_and_read_message(char *message, size_t bytes)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    sci_error_t error;
    size_t length;

    ck_assert_ptr_nonnull(file);
    fflush(stderr);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    SCIInitialize(0, &error);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    length = fread(message, 1, bytes - 1, file);
    message[length] = '\0';
    fclose(file);
    return error;
}

START_TEST(a_lock_of_another_user_is_refused_with_its_path_its_owner_and_a_remedy)
{
    helper other;

    if (!have_small_memory())
        return;
    other = helper_start(forge_the_lock, NULL, 0);
    if (hear(&other) == 'n') {
        char message[512], path[256], owner[32];

        snprintf(path, sizeof(path), "/dev/shm%s", sisci_name_lock().text);
        snprintf(owner, sizeof(owner), "user %d", UNPRIVILEGED);
        expect(&other, 'f');
        ck_error(initialise_and_read_message(message, sizeof(message)), SCI_ERR_ACCESS);
        ck_assert_ptr_nonnull(strstr(message, path));
        ck_assert_ptr_nonnull(strstr(message, owner));
        ck_assert_ptr_nonnull(strstr(message, "remove it as that user or as root"));
        tell(&other, 'q');
    }
    helper_finish(&other);
}
END_TEST

/* A mount of /dev whose folder shm is missing. */
START_TEST(without_dev_shm_the_library_does_not_start)
{
    char message[512];

    if (!have_small_memory())
        return;
    ck_assert_int_eq(umount("/dev/shm"), 0);
    ck_assert_int_eq(mount("none", "/dev", "tmpfs", 0, "size=1m,mode=755"), 0);
    ck_error(initialise_and_read_message(message, sizeof(message)), SCI_ERR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(message, "/dev/shm"));
}
END_TEST

/* Other jobs. */

static int offer_in_another_job(helper *test, const void *unused)
{
    char job[64];
    sci_desc_t sd;
    sci_map_t map;

    (void)unused;
    snprintf(job, sizeof(job), "%s-other", getenv("SISCI_SHM_JOB"));
    setenv("SISCI_SHM_JOB", job, 1);
    sd = begin();
    map_local(offer(sd, ID, BYTES), &map)[0] = 2;
    tell(test, 'r');
    expect(test, 'q');
    SCITerminate();
    return 0;
}

START_TEST(processes_of_other_jobs_are_invisible)
{
    helper other = helper_start(offer_in_another_job, NULL, 8);
    sci_remote_segment_t segment;
    sci_error_t error;
    sci_desc_t sd = begin();

    expect(&other, 'r');
    SCIConnectSegment(sd, &segment, 8, ID, 0, NULL, NULL, 0, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_NODEID);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(concurrent_jobs_have_separate_segments)
{
    helper other = helper_start(offer_in_another_job, NULL, 0);
    sci_desc_t sd = begin();
    sci_map_t local, remote;

    expect(&other, 'r');
    map_local(offer(sd, ID, BYTES), &local)[0] = 1;
    ck_assert_uint_eq(map_remote(reach(sd, 4, ID), &remote)[0], 1);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

/* The dead. */

static int write_and_stay(helper *test, const void *unused)
{
    sci_map_t map;
    unsigned *memory = map_local(offer(begin(), ID, BYTES), &map);

    (void)unused;
    memory[0] = 1;
    tell(test, 'r');
    return hear(test);
}

START_TEST(a_segment_that_replaces_a_stale_one_is_zeroed)
{
    helper other = helper_start(write_and_stay, NULL, 0);
    sci_desc_t sd = begin();
    sci_map_t map;

    expect(&other, 'r');
    helper_kill(&other);
    ck_assert_uint_eq(map_local(offer(sd, ID, BYTES), &map)[0], 0);
}
END_TEST

UNIT_MAIN("sisci limits", a_segment_that_does_not_fit_leaves_no_object,
          in_full_memory_new_objects_are_refused, in_full_memory_no_process_can_start,
          full_memory_does_not_stop_existing_connections,
          users_with_the_same_job_and_node_are_separate, another_user_cannot_open_an_object,
          connecting_to_an_object_of_another_user_is_refused,
          a_lock_of_another_user_is_refused_with_its_path_its_owner_and_a_remedy,
          without_dev_shm_the_library_does_not_start, processes_of_other_jobs_are_invisible,
          concurrent_jobs_have_separate_segments, a_segment_that_replaces_a_stale_one_is_zeroed)
