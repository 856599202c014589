/* The registry of shared objects: names, owners, stale objects, and their removal. */
#include "tests/sisci/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sisci/registry.h"

enum { ID = 0xabc, BYTES = 4096 };

static sisci_name segment_name(void)
{
    return sisci_name_numbered(getenv("SISCI_SHM_JOB"), 4, SISCI_KIND_SEGMENT, ID);
}

static bool exists(const sisci_name *name)
{
    int file = shm_open(name->text, O_RDONLY, 0);

    if (file >= 0)
        close(file);
    return file >= 0;
}

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

START_TEST(a_name_contains_user_job_node_kind_and_number)
{
    char wanted[128];

    snprintf(wanted, sizeof(wanted), "/sisci-shm.%lu.job.8.s.00000abc", (unsigned long)geteuid());
    ck_assert_str_eq(sisci_name_numbered("job", 8, SISCI_KIND_SEGMENT, ID).text, wanted);
}
END_TEST

START_TEST(the_kind_can_be_read_from_the_name)
{
    sisci_process self = sisci_process_self();
    sisci_name segment = sisci_name_numbered("p", 8, SISCI_KIND_SEGMENT, ID);
    sisci_name member = sisci_name_of_process("p", 252, SISCI_KIND_MEMBER, ID, &self, 1);
    sisci_name process = sisci_name_process("s", 8, &self);
    sisci_name lock = sisci_name_lock(), other = {"/something.else"};

    ck_assert_int_eq(sisci_name_kind(&segment), SISCI_KIND_SEGMENT);
    ck_assert_int_eq(sisci_name_kind(&member), SISCI_KIND_MEMBER);
    ck_assert_int_eq(sisci_name_kind(&process), SISCI_KIND_PROCESS);
    ck_assert_int_eq(sisci_name_kind(&lock), 0);
    ck_assert_int_eq(sisci_name_kind(&other), 0);
}
END_TEST

START_TEST(the_names_of_group_members_share_a_prefix)
{
    sisci_process self = sisci_process_self();
    sisci_name group = sisci_name_numbered("job", 252, SISCI_KIND_GROUP, 0x10);
    sisci_name beginning = sisci_name_members_of(&group);
    sisci_name member = sisci_name_of_process("job", 252, SISCI_KIND_MEMBER, 0x10, &self, 3);
    sisci_name other_object = sisci_name_of_process("job", 252, SISCI_KIND_MEMBER, 0x100, &self, 3);

    ck_assert_str_eq(beginning.text, sisci_name_members("job", 252, 0x10).text);
    ck_assert(sisci_name_begins(member.text, &beginning));
    ck_assert(!sisci_name_begins(other_object.text, &beginning));
}
END_TEST

START_TEST(only_its_user_can_open_an_object)
{
    sisci_name name;
    struct stat status;
    int file;

    offer(begin(), ID, BYTES);
    name = segment_name();
    file = shm_open(name.text, O_RDONLY, 0);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fstat(file, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0600);
    ck_assert_uint_eq(status.st_uid, geteuid());
}
END_TEST

START_TEST(a_program_that_terminates_leaves_no_objects)
{
    begin();
    ck_assert_uint_gt(objects_of_job(), 0);
    SCITerminate();
    ck_assert_uint_eq(objects_of_job(), 0);
}
END_TEST

static int open_and_exit(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    unsigned number;
    sci_local_interrupt_t interrupt;
    sci_local_data_interrupt_t data_interrupt;
    sci_error_t error;

    (void)unused;
    offer(sd, ID, BYTES);
    offer_member(sd, ID, BYTES);
    SCICreateInterrupt(sd, &interrupt, 0, &number, NULL, NULL, 0, &error);
    SCICreateDataInterrupt(sd, &data_interrupt, 0, &number, NULL, NULL, 0, &error);
    tell(test, 'r');
    expect(test, 'q');
    return 0;
}

START_TEST(a_program_that_exits_without_termination_leaves_no_objects)
{
    helper other = helper_start(open_and_exit, NULL, 0);

    expect(&other, 'r');
    ck_assert_uint_eq(objects_of_job(), 6);
    tell(&other, 'q');
    helper_finish(&other);
    ck_assert_uint_eq(objects_of_job(), 0);
}
END_TEST

static int abandon_and_create(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment;
    sci_local_interrupt_t interrupt;
    unsigned number = 0;
    sci_error_t error;

    (void)unused;
    offer_member(sd, ID, BYTES);
    sisci_shm_abandon();
    SCICreateSegment(sd, &segment, ID + 1, BYTES, NULL, NULL, 0, &error);
    ck_assert_int_eq(error, SCI_ERR_CANCELLED);
    SCICreateSegment(sd, &segment, ID + 2, BYTES, NULL, NULL, SCI_FLAG_BROADCAST, &error);
    ck_assert_int_eq(error, SCI_ERR_CANCELLED);
    SCICreateInterrupt(sd, &interrupt, 0, &number, NULL, NULL, 0, &error);
    ck_assert_int_eq(error, SCI_ERR_CANCELLED);
    tell(test, 'd');
    expect(test, 'k');
    return 0;
}

static int abandon_and_start(helper *test, const void *unused)
{
    sci_error_t error;

    (void)test;
    (void)unused;
    sisci_shm_abandon();
    SCIInitialize(0, &error);
    ck_assert_int_eq(error, SCI_ERR_CANCELLED);
    ck_assert_uint_eq(objects_of_job(), 0);
    return 0;
}

START_TEST(a_process_that_was_abandoned_before_the_start_makes_no_objects)
{
    helper other = helper_start(abandon_and_start, NULL, 0);

    helper_finish(&other);
    ck_assert_uint_eq(objects_of_job(), 0);
}
END_TEST

START_TEST(a_process_that_was_abandoned_leaves_no_objects_even_if_killed_later)
{
    helper other = helper_start(abandon_and_create, NULL, 0);

    expect(&other, 'd');
    helper_kill(&other);
    ck_assert_uint_eq(objects_of_job(), 0);
}
END_TEST

START_TEST(objects_of_a_killed_process_are_removed_at_the_next_start)
{
    helper other = helper_start(open_and_exit, NULL, 0);

    expect(&other, 'r');
    ck_assert_uint_eq(objects_of_job(), 6);
    helper_kill(&other);
    begin();
    ck_assert_uint_eq(objects_of_job(), 1);
}
END_TEST

START_TEST(the_id_of_a_killed_owner_is_free_at_once)
{
    helper other = helper_start(open_and_exit, NULL, 0);
    sci_desc_t sd = begin();

    expect(&other, 'r');
    helper_kill(&other);
    offer(sd, ID, BYTES);
}
END_TEST

START_TEST(a_segment_of_a_killed_owner_cannot_be_connected)
{
    helper other = helper_start(open_and_exit, NULL, 0);
    sci_desc_t sd = begin();
    sci_remote_segment_t segment;
    sci_error_t error;

    expect(&other, 'r');
    helper_kill(&other);
    SCIConnectSegment(sd, &segment, 4, ID, 0, NULL, NULL, 0, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_SEGMENT);
}
END_TEST

/* An object that a dead process left under the name of the segment. */
static void plant(const sisci_process *owner, bool published)
{
    sisci_name name = segment_name();
    sisci_object object;
    int lock;

    ck_assert(sisci_registry_lock(&lock));
    ck_assert_int_eq(sisci_object_create(&name, SISCI_KIND_SEGMENT, owner, BYTES, &object),
                     SISCI_OBJECT_OK);
    if (published)
        sisci_object_publish(&object);
    sisci_object_close(&object);
    sisci_registry_unlock(lock);
}

static sci_error_t try_to_create(sci_desc_t sd)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, ID, BYTES, NULL, NULL, 0, &error);
    return error;
}

START_TEST(an_object_of_a_live_process_is_kept)
{
    sci_desc_t sd = begin();
    sisci_process self = sisci_process_self();
    sisci_name name = segment_name();

    plant(&self, true);
    ck_error(try_to_create(sd), SCI_ERR_SEGMENTID_USED);
    sisci_object_unlink(&name);
}
END_TEST

START_TEST(a_reused_process_id_owns_no_old_objects)
{
    sci_desc_t sd = begin();
    sisci_process earlier = sisci_process_self();

    earlier.start_ticks--;
    plant(&earlier, true);
    ck_ok(try_to_create(sd));
}
END_TEST

START_TEST(an_incomplete_object_is_replaced)
{
    sci_desc_t sd = begin();
    sisci_process self = sisci_process_self();

    plant(&self, false);
    ck_ok(try_to_create(sd));
}
END_TEST

START_TEST(an_empty_object_is_replaced)
{
    sci_desc_t sd = begin();

    close(shm_open(segment_name().text, O_RDWR | O_CREAT, 0600));
    ck_ok(try_to_create(sd));
}
END_TEST

START_TEST(a_process_of_another_namespace_counts_as_live)
{
    sci_desc_t sd = begin();
    sisci_process elsewhere = {.pid = 1, .start_ticks = 1, .pid_namespace = 1};
    sisci_name name = segment_name();

    plant(&elsewhere, true);
    ck_error(try_to_create(sd), SCI_ERR_SEGMENTID_USED);
    sisci_object_unlink(&name);
}
END_TEST

START_TEST(a_zombie_counts_as_ended)
{
    helper other = helper_start(open_and_exit, NULL, 0);
    sisci_name name = segment_name();
    sisci_object object;

    expect(&other, 'r');
    ck_assert_int_eq(sisci_object_open(&name, &object), SISCI_OBJECT_OK);
    ck_assert(sisci_process_alive(&object.head->owner));
    helper_kill(&other);
    ck_assert(!sisci_process_alive(&object.head->owner));
}
END_TEST

/* The sweep may have examined its segment while the process lived, or not: a later sweep must
 * find the rest either way. */
START_TEST(the_presence_of_a_process_that_dies_during_a_sweep_is_kept)
{
    helper other = helper_start(open_and_exit, NULL, 0);
    sisci_name user = sisci_name_user();
    sisci_names all;
    bool *stale;
    int lock;

    expect(&other, 'r');
    ck_assert(sisci_registry_lock(&lock));
    ck_assert(sisci_names_list(&user, &all));
    stale = calloc(all.count, sizeof(*stale));
    sisci_objects_find_dead(&all, stale);
    helper_kill(&other);
    sisci_objects_find_stale(&all, stale);
    for (size_t i = 0; i < all.count; i++)
        if (is_of_this_job(all.names[i].text))
            ck_assert_int_eq(stale[i], sisci_name_kind(&all.names[i]) != SISCI_KIND_PROCESS);
    sisci_registry_unlock(lock);
    sisci_names_free(&all);
    free(stale);
}
END_TEST

static int hold_lock(helper *test, const void *unused)
{
    int lock;

    (void)unused;
    if (!sisci_registry_lock(&lock))
        return 1;
    tell(test, 'l');
    expect(test, 'q');
    return 0;
}

static bool is_locked(void)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = shm_open(sisci_name_lock().text, O_RDWR, 0);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fcntl(file, F_GETLK, &whole), 0);
    close(file);
    return whole.l_type != F_UNLCK;
}

START_TEST(the_lock_of_a_killed_process_is_free)
{
    helper other = helper_start(hold_lock, NULL, 0);
    int lock;

    expect(&other, 'l');
    ck_assert(is_locked());
    helper_kill(&other);
    ck_assert(sisci_registry_lock(&lock));
    sisci_registry_unlock(lock);
}
END_TEST

START_TEST(a_removed_lock_is_created_again)
{
    sisci_name name = sisci_name_lock();
    int lock;

    ck_assert(sisci_registry_lock(&lock));
    sisci_object_unlink(&name);
    sisci_registry_unlock(lock);
    ck_assert(sisci_registry_lock(&lock));
    ck_assert(exists(&name));
    sisci_registry_unlock(lock);
}
END_TEST

static int hold_mutex(helper *test, const void *mutex)
{
    sisci_shared_lock((pthread_mutex_t *)(uintptr_t)mutex);
    tell(test, 'l');
    expect(test, 'q');
    return 0;
}

START_TEST(a_mutex_is_recovered_when_its_holder_is_killed)
{
    pthread_mutex_t *mutex =
        mmap(NULL, sizeof(*mutex), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    helper other;

    ck_assert(sisci_shared_mutex_initialise(mutex));
    for (int i = 0; i < 2; i++) {
        other = helper_start(hold_mutex, mutex, 0);
        expect(&other, 'l');
        helper_kill(&other);
        sisci_shared_lock(mutex);
        sisci_shared_unlock(mutex);
    }
}
END_TEST

static int use_after_fork(helper *test, const void *unused)
{
    sci_error_t error;
    unsigned node;

    (void)unused;
    SCIGetLocalNodeId(0, &node, 0, &error);
    ck_error(error, SCI_ERR_NOT_INITIALIZED);
    SCIRemoveSegment(offer(begin(), ID + 1, BYTES), 0, &error);
    ck_ok(error);
    tell(test, 'd');
    return 0;
}

START_TEST(a_forked_child_can_start_without_touching_objects_of_its_parent)
{
    sisci_name name;
    helper child;

    offer(begin(), ID, BYTES);
    child = helper_start(use_after_fork, NULL, 0);
    expect(&child, 'd');
    helper_finish(&child);
    name = segment_name();
    ck_assert(exists(&name));
}
END_TEST

/* At a fork the library's thread holds no lock of an allocator, which the child would find
 * locked forever; the critical case is a thread that has just started. Only builds with
 * sanitizers can fail here, since the C library's own allocator handles forks. */
START_TEST(a_child_forked_during_start_can_use_the_library)
{
    for (int i = 0; i < 20; i++) {
        helper child;

        begin();
        child = helper_start(use_after_fork, NULL, 0);
        SCITerminate();
        expect(&child, 'd');
        helper_finish(&child);
    }
}
END_TEST

UNIT_MAIN("sisci registry", a_name_contains_user_job_node_kind_and_number,
          the_kind_can_be_read_from_the_name, the_names_of_group_members_share_a_prefix,
          only_its_user_can_open_an_object, a_program_that_terminates_leaves_no_objects,
          a_program_that_exits_without_termination_leaves_no_objects,
          a_process_that_was_abandoned_before_the_start_makes_no_objects,
          a_process_that_was_abandoned_leaves_no_objects_even_if_killed_later,
          objects_of_a_killed_process_are_removed_at_the_next_start,
          the_id_of_a_killed_owner_is_free_at_once, a_segment_of_a_killed_owner_cannot_be_connected,
          an_object_of_a_live_process_is_kept, a_reused_process_id_owns_no_old_objects,
          an_incomplete_object_is_replaced, an_empty_object_is_replaced,
          a_process_of_another_namespace_counts_as_live, a_zombie_counts_as_ended,
          the_presence_of_a_process_that_dies_during_a_sweep_is_kept,
          the_lock_of_a_killed_process_is_free, a_removed_lock_is_created_again,
          a_mutex_is_recovered_when_its_holder_is_killed,
          a_forked_child_can_start_without_touching_objects_of_its_parent,
          a_child_forked_during_start_can_use_the_library)
