/* The nearest known name: what counts as near, and which one is given. */
#include "base/context_internal.h"

#include "tests/common/unit.h"

START_TEST(letters_changed_added_and_left_out_are_counted)
{
    static const struct {
        const char *left, *right;
        size_t distance;
    } pairs[] = {
        {"", "", 0},         {"group", "group", 0}, {"", "node", 4},       {"node", "", 4},
        {"node", "mode", 1}, {"node", "nod", 1},    {"node", "nodes", 1},  {"kitten", "sitting", 3},
        {"abcd", "dcba", 4}, {"id", "di", 2},       {"Group", "group", 1},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        ck_assert_uint_eq(cb_distance(pairs[i].left, pairs[i].right), pairs[i].distance);
}
END_TEST

START_TEST(letters_beyond_63_do_not_count)
{
    char left[101], right[101];

    for (size_t i = 0; i < 100; i++) {
        left[i] = 'a';
        right[i] = i < 63 ? 'a' : 'b';
    }
    left[100] = right[100] = '\0';
    ck_assert_uint_eq(cb_distance(left, right), 0);
    right[62] = 'b';
    ck_assert_uint_eq(cb_distance(left, right), 1);
}
END_TEST

START_TEST(the_name_with_the_smallest_distance_is_given)
{
    static const char *const names[] = {"recv_seg_size", "recv_buffer_no", "recv_buffer_size"};

    ck_assert_str_eq(cb_nearest("recv_bufer_no", names, 3), "recv_buffer_no");
    ck_assert_str_eq(cb_nearest("recv_size", names, 3), "recv_seg_size");
}
END_TEST

START_TEST(the_first_of_several_that_are_as_near_is_given)
{
    static const char *const names[] = {"pc1", "pc2"};

    ck_assert_str_eq(cb_nearest("pc3", names, 2), "pc1");
}
END_TEST

START_TEST(among_no_names_there_is_none)
{
    ck_assert_ptr_null(cb_nearest("node", NULL, 0));
}
END_TEST

UNIT_MAIN("nearest", letters_changed_added_and_left_out_are_counted, letters_beyond_63_do_not_count,
          the_name_with_the_smallest_distance_is_given,
          the_first_of_several_that_are_as_near_is_given, among_no_names_there_is_none)
