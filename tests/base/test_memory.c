/* Allocation: alignment, zeroing, growing arrays, and errors that name the purpose. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "tests/common/unit.h"

START_TEST(aligned_memory_is_aligned)
{
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        void *memory = cb_allocate_aligned(alignment, 100, "a test");

        ck_assert_ptr_nonnull(memory);
        ck_assert_uint_eq((uintptr_t)memory % alignment, 0);
        free(memory);
    }
}
END_TEST

/* The first block is filled so that zeroing shows if the second one reuses it. */
START_TEST(aligned_memory_is_zeroed)
{
    static const char zeros[1000];
    char *soiled = cb_allocate_aligned(CB_CACHE_LINE, sizeof(zeros), "a test");
    char *memory;

    memset(soiled, 0x55, sizeof(zeros));
    free(soiled);
    memory = cb_allocate_aligned(CB_CACHE_LINE, sizeof(zeros), "a test");
    ck_assert_mem_eq(memory, zeros, sizeof(zeros));
    free(memory);
}
END_TEST

START_TEST(zero_bytes_give_a_valid_pointer)
{
    void *aligned = cb_allocate_aligned(CB_CACHE_LINE, 0, "a test");
    void *plain = cb_allocate(0, 8, "a test");

    ck_assert_ptr_nonnull(aligned);
    ck_assert_ptr_nonnull(plain);
    free(aligned);
    free(plain);
}
END_TEST

/* Where the C library returns NULL the address sanitizer would end the program; it reads these
 * options. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(a_failure_gives_null_and_names_the_purpose)
{
    char text[1000] = "";
    FILE *file = tmpfile();

    dup2(fileno(file), STDERR_FILENO);
    ck_assert_ptr_null(cb_allocate_aligned(CB_CACHE_LINE, SIZE_MAX / 2, "receive buffers"));
    rewind(file);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    ck_assert_ptr_nonnull(strstr(text, "for receive buffers"));
    fclose(file);
}
END_TEST

START_TEST(a_growing_array_keeps_its_elements)
{
    uint32_t *values = NULL;
    size_t room = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        size_t before = room;

        values = cb_grow(values, i, &room, sizeof(*values));
        ck_assert_ptr_nonnull(values);
        ck_assert_uint_gt(room, i);
        ck_assert_msg(room == before || i == before,
                      "the room grew from %u to %u before it was full, at %u", (unsigned)before,
                      (unsigned)room, (unsigned)i);
        values[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(values[i], i);
    free(values);
}
END_TEST

START_TEST(an_array_that_cannot_grow_is_unchanged)
{
    char first = 'a';
    size_t room = 1;

    ck_assert_ptr_null(cb_grow(&first, 1, &room, SIZE_MAX / 2 + 1));
    ck_assert_uint_eq(room, 1);
}
END_TEST

UNIT_MAIN("memory", aligned_memory_is_aligned, aligned_memory_is_zeroed,
          zero_bytes_give_a_valid_pointer, a_failure_gives_null_and_names_the_purpose,
          a_growing_array_keeps_its_elements, an_array_that_cannot_grow_is_unchanged)
