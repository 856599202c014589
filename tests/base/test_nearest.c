/* The nearest known name: how the distance is computed, and which of several names is given. */
#include "base/context_internal.h"

#include "tests/common/unit.h"

START_TEST(the_distance_counts_changed_added_and_missing_letters)
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

START_TEST(letters_after_the_63rd_are_ignored)
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

START_TEST(of_equally_near_names_the_first_is_given)
{
    static const char *const names[] = {"pc1", "pc2"};

    ck_assert_str_eq(cb_nearest("pc3", names, 2), "pc1");
}
END_TEST

START_TEST(an_empty_list_has_no_nearest_name)
{
    ck_assert_ptr_null(cb_nearest("node", NULL, 0));
}
END_TEST

UNIT_MAIN("nearest", the_distance_counts_changed_added_and_missing_letters,
          letters_after_the_63rd_are_ignored, the_name_with_the_smallest_distance_is_given,
          of_equally_near_names_the_first_is_given, an_empty_list_has_no_nearest_name)
