/* Settings derived from a job keep every limit for all sizes of jobs, and follow the documented
 * rules between the limits. */
#include "base/settings.h"

#include "base/log.h"
#include "tests/base/technologies.h"
#include "tests/common/unit.h"

static const size_t ranks[] = {1, 2, 3, 17, 129, 1000, 65536};
static const size_t sizes[] = {0, 1, 64, 65, 1024, 1 << 20, (4 << 20) + 1, 1 << 30};

/* Run `check` for jobs of all these numbers of ranks and sizes. */
/* The settings that are derived from a job. */
static sci_settings derived(const cb_job *job)
{
    sci_settings sci;

    cb_parameter_defaults(&sci_parameters, &sci);
    sci_derive(job, &sci);
    return sci;
}

static void for_all_jobs(void (*check)(const cb_job *job, const sci_settings *sci))
{
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
            for (size_t held = 0; held < 4; held++) {
                cb_job job = {.ranks = ranks[i], .largest_bytes = sizes[j], .held_buffers = held};
                sci_settings sci = derived(&job);

                check(&job, &sci);
            }
}

static void check_limits(const cb_job *job, const sci_settings *sci)
{
    uint64_t peers = job->ranks - 1;

    ck_assert_uint_ge(sci->header_area_size, peers * SCI_HEADER_BYTES);
    ck_assert_uint_ge(sci->inline_area_size, peers * sci->max_outst_buffers * SCI_LINE_BYTES);
    ck_assert_uint_ge(sci->recv_buffer_no, peers * sci->max_outst_buffers + job->held_buffers);
    ck_assert_uint_eq(sci->recv_seg_size, sci->header_area_size + sci->inline_area_size +
                                              sci->recv_buffer_no * sci->recv_buffer_size);
}

START_TEST(derived_values_keep_the_limits_and_fill_the_segment)
{
    for_all_jobs(check_limits);
}
END_TEST

static void check_ranges(const cb_job *job, const sci_settings *sci)
{
    for (size_t i = 0; i < sci_parameters.count; i++) {
        const cb_parameter *row = &sci_parameters.rows[i];
        uint64_t value = cb_parameter_get(row, sci);

        if (value == CB_PARAMETER_ABSENT && row->default_value == CB_PARAMETER_ABSENT)
            continue;
        ck_assert_msg(value >= row->minimum && value <= row->maximum, "%s = %llu for %zu ranks",
                      row->name, (unsigned long long)value, job->ranks);
        ck_assert_msg(row->multiple == 0 || value % row->multiple == 0, "%s = %llu for %zu bytes",
                      row->name, (unsigned long long)value, job->largest_bytes);
    }
}

START_TEST(derived_values_are_accepted_in_files)
{
    for_all_jobs(check_ranges);
}
END_TEST

START_TEST(a_receive_buffer_holds_the_largest_message)
{
    const cb_job job = {.ranks = 17, .largest_bytes = (4 << 20) + 1, .held_buffers = 2};

    ck_assert_uint_eq(derived(&job).recv_buffer_size, (4 << 20) + 64);
}
END_TEST

START_TEST(messages_are_split_where_one_buffer_per_peer_does_not_fit)
{
    const cb_job job = {.ranks = 129, .largest_bytes = 4 << 20, .held_buffers = 2};

    ck_assert_uint_eq(derived(&job).recv_buffer_size, 2 << 20);
    ck_assert_uint_eq(derived(&job).max_outst_buffers, 1);
}
END_TEST

START_TEST(the_header_limits_the_number_of_outstanding_small_messages)
{
    const cb_job job = {.ranks = 17, .largest_bytes = 1024, .held_buffers = 2};

    ck_assert_uint_eq(derived(&job).max_outst_buffers, SCI_MAX_OUTSTANDING);
}
END_TEST

START_TEST(all_nodes_get_the_same_values_and_their_rank_as_id)
{
    const cb_job job = {.ranks = 3, .largest_bytes = 64, .held_buffers = 2};
    cb_settings settings;

    ck_assert_int_eq(cb_settings_derive(&sci_parameters, &job, NULL, &settings), CB_OK);
    ck_assert(!settings.configured);
    ck_assert_uint_eq(settings.node_count, 3);
    ck_assert_uint_eq(settings.group_count, 0);
    for (uint32_t rank = 0; rank < 3; rank++) {
        ck_assert_uint_eq(settings.nodes[rank].id, rank);
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->node_id, CB_PARAMETER_ABSENT);
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->recv_buffer_no,
                          derived(&job).recv_buffer_no);
    }
    cb_settings_free(&settings);
    ck_assert_ptr_null(settings.nodes);
}
END_TEST

START_TEST(a_technology_that_derives_nothing_uses_the_defaults)
{
    static const cb_parameter_set *const sets[] = {&tcp_parameters, &udp_parameters};
    const cb_job job = {.ranks = 2, .largest_bytes = 64, .held_buffers = 2};
    cb_settings settings;

    for (size_t k = 0; k < 2; k++) {
        ck_assert_int_eq(cb_settings_derive(sets[k], &job, NULL, &settings), CB_OK);
        for (size_t i = 0; i < sets[k]->count; i++)
            ck_assert_uint_eq(cb_parameter_get(&sets[k]->rows[i], cb_settings_values(&settings, 1)),
                              sets[k]->rows[i].default_value);
        cb_settings_free(&settings);
    }
}
END_TEST

START_TEST(a_technology_without_parameters_still_has_common_settings)
{
    const cb_job job = {.ranks = 2};
    cb_settings settings;

    ck_assert_int_eq(cb_settings_derive(NULL, &job, NULL, &settings), CB_OK);
    ck_assert_uint_eq(settings.nodes[1].id, 1);
    cb_settings_free(&settings);
}
END_TEST

/* Settings given on the command line */

START_TEST(a_given_value_takes_precedence_over_a_derived_one)
{
    const cb_job job = {.ranks = 2, .largest_bytes = 1024, .held_buffers = 2};
    cb_override *given;
    cb_settings settings;

    ck_assert_int_eq(cb_overrides_parse("sci", &sci_parameters,
                                        "max_outst_buffers=2,recv_buffer_size=512B,"
                                        "use_send_pool=0",
                                        &given),
                     CB_OK);
    ck_assert_int_eq(cb_settings_derive(&sci_parameters, &job, given, &settings), CB_OK);
    for (size_t rank = 0; rank < 2; rank++) {
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->max_outst_buffers, 2);
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->recv_buffer_size, 512);
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->use_send_pool, 0);
        ck_assert_uint_eq(sci_settings_of(&settings, rank)->send_buffer_size, 1024);
    }
    cb_settings_free(&settings);
    free(given);
}
END_TEST

START_TEST(given_values_are_checked_against_the_limits)
{
    const cb_job job = {.ranks = 2, .largest_bytes = 1024, .held_buffers = 2};
    cb_override *given;
    cb_settings settings;

    cb_log_silence(true);
    ck_assert_int_eq(cb_overrides_parse("sci", &sci_parameters, "recv_buffer_no=3", &given), CB_OK);
    ck_assert_int_eq(cb_settings_derive(&sci_parameters, &job, given, &settings), CB_ERROR_USAGE);
    free(given);
}
END_TEST

START_TEST(an_unknown_or_invalid_parameter_is_refused)
{
    static const char *const wrong[] = {"",       "port",        "port=",   "port=70000",
                                        "prot=1", "port=1,,x=2", "port=1 ", "silence_s=0",
                                        "=1",     "node_id=4",   "PORT=1",  "timeout_ms=20"};
    cb_override *given;

    cb_log_silence(true);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(cb_overrides_parse("tcp", &tcp_parameters, wrong[i], &given) ==
                          CB_ERROR_USAGE,
                      "taken: '%s'", wrong[i]);
        ck_assert_ptr_null(given);
    }
    ck_assert_int_eq(cb_overrides_parse("sci", &sci_parameters, "node_id=4", &given),
                     CB_ERROR_USAGE);
    ck_assert_int_eq(cb_overrides_parse("mpi", NULL, "port=1", &given), CB_ERROR_USAGE);
    ck_assert_int_eq(cb_overrides_parse("mpi", NULL, NULL, &given), CB_OK);
    ck_assert_ptr_null(given);
}
END_TEST

/* Words: a choice is one of a list, a text is free */

static ofi_settings given_words(const char *list)
{
    const cb_job job = {.ranks = 2, .largest_bytes = 1024, .held_buffers = 2};
    cb_override *given;
    cb_settings settings;
    ofi_settings values;

    ck_assert_msg(cb_overrides_parse("ofi", &ofi_parameters, list, &given) == CB_OK, "refused: %s",
                  list);
    ck_assert_int_eq(cb_settings_derive(&ofi_parameters, &job, given, &settings), CB_OK);
    values = *(ofi_settings *)cb_settings_values(&settings, 1);
    cb_settings_free(&settings);
    free(given);
    return values;
}

START_TEST(a_choice_is_the_index_of_its_word)
{
    ck_assert_uint_eq(given_words("buffer_size=64").method, OFI_METHOD_MESSAGE);
    ck_assert_uint_eq(given_words("method=message").method, OFI_METHOD_MESSAGE);
    ck_assert_uint_eq(given_words("method='write'").method, OFI_METHOD_WRITE);
}
END_TEST

START_TEST(a_text_is_kept_once)
{
    const ofi_settings one = given_words("provider=tcp;ofi_rxm,domain=eth0");
    const ofi_settings other = given_words("domain=eth1,provider=\"tcp;ofi_rxm\"");

    ck_assert_str_eq(cb_parameter_text(one.provider), "tcp;ofi_rxm");
    ck_assert_uint_eq(one.provider, other.provider);
    ck_assert_str_eq(cb_parameter_text(one.domain), "eth0");
    ck_assert_str_eq(cb_parameter_text(other.domain), "eth1");
}
END_TEST

START_TEST(an_empty_text_is_none)
{
    ck_assert_uint_eq(given_words("buffer_size=64").provider, 0);
    ck_assert_uint_eq(given_words("provider=").provider, 0);
    ck_assert_uint_eq(given_words("provider=''").provider, 0);
    ck_assert_str_eq(cb_parameter_text(0), "");
}
END_TEST

START_TEST(a_value_in_quotes_may_have_commas_and_the_other_quote)
{
    const ofi_settings values = given_words("provider='a,b=c',domain=\"it's\",buffer_size=128");

    ck_assert_str_eq(cb_parameter_text(values.provider), "a,b=c");
    ck_assert_str_eq(cb_parameter_text(values.domain), "it's");
    ck_assert_uint_eq(values.remote.buffer_size, 128);
}
END_TEST

START_TEST(a_wrong_word_is_refused_with_the_reason)
{
    static const struct {
        const char *list, *reason;
    } wrong[] = {
        {"method=rdma", "use one of message, write"},
        {"method=", "use one of message, write"},
        {"method=Write", "use one of message, write"},
        {"provider=a,b", "NAME='A,B'"},
        {"provider='a,b", "write NAME='VALUE'"},
        {"provider='a'b", "write NAME='VALUE'"},
        {"provider='", "write NAME='VALUE'"},
        {"provider=a\tb", "code 9"},
        {"provider=\xc3\xa4", "code 195"},
    };
    char list[300];
    cb_override *given;

    cb_log_silence(true);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(cb_overrides_parse("ofi", &ofi_parameters, wrong[i].list, &given) ==
                          CB_ERROR_USAGE,
                      "taken: %s", wrong[i].list);
        ck_assert_msg(strstr(cb_last_error(), wrong[i].reason) != NULL, "no '%s' in: %s",
                      wrong[i].reason, cb_last_error());
    }
    memset(list, 'a', sizeof(list));
    memcpy(list, "domain=", strlen("domain="));
    list[sizeof(list) - 1] = '\0';
    ck_assert_int_eq(cb_overrides_parse("ofi", &ofi_parameters, list, &given), CB_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(cb_last_error(), "too long"));
}
END_TEST

UNIT_MAIN("derive", derived_values_keep_the_limits_and_fill_the_segment,
          derived_values_are_accepted_in_files, a_receive_buffer_holds_the_largest_message,
          messages_are_split_where_one_buffer_per_peer_does_not_fit,
          the_header_limits_the_number_of_outstanding_small_messages,
          all_nodes_get_the_same_values_and_their_rank_as_id,
          a_technology_that_derives_nothing_uses_the_defaults,
          a_technology_without_parameters_still_has_common_settings,
          a_given_value_takes_precedence_over_a_derived_one,
          given_values_are_checked_against_the_limits, an_unknown_or_invalid_parameter_is_refused,
          a_choice_is_the_index_of_its_word, a_text_is_kept_once, an_empty_text_is_none,
          a_value_in_quotes_may_have_commas_and_the_other_quote,
          a_wrong_word_is_refused_with_the_reason)
