/* Share rule tcp: connections, and ports that drop frames when their buffers are full. */
#include "tests/model/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/trace_text.h"

/* Eager sends, 10 MB/s, a latency of 20 us: a full frame takes 153.8 us. */
static ccmod_calibration ethernet(void)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 20, 10);

    calibration.eager_bytes = UINT64_MAX;
    return calibration;
}

static ccmod_parameters with_buffer(uint64_t bytes, double alpha)
{
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    parameters.share = CCMOD_TCP;
    parameters.buffer_bytes = bytes;
    parameters.buffer_alpha = alpha;
    return parameters;
}

static const char incast[] =
    HEAD "1-3:\n@ 20\nis 0 20000\nr 0 10\n;\nw\n"
         "0:\n@ 20\nr 1 20000\nr 2 20000\nr 3 20000\nis 1 10\nis 2 10\nis 3 10\n;\nw\n";

static double end_of(uint64_t bytes, double alpha, ccmod_losses *losses)
{
    ccmod_calibration calibration = ethernet();
    ccmod_parameters parameters = with_buffer(bytes, alpha);
    ccmod_result *result = evaluate(incast, &calibration, &parameters);
    double end_us = result->end_us;

    *losses = result->losses;
    ccmod_result_free(result);
    return end_us;
}

static const char head[] = HEAD;

START_TEST(in_tcp_a_lone_message_takes_its_quiet_time)
{
    static const uint64_t sizes[] = {1, 1000, 1460, 14600};
    ccmod_calibration calibration = ethernet();
    ccmod_parameters parameters = with_buffer(0, 0);

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char text[128];
        double quiet_us = 21 + (double)sizes[i] / 10;
        ccmod_result *result;

        snprintf(text, sizeof(text), "%s0: is 1 %lu\nw\n1: r 0 %lu\n", head,
                 (unsigned long)sizes[i], (unsigned long)sizes[i]);
        result = evaluate(text, &calibration, &parameters);
        ck_assert_msg(clock_of(result, 1) >= quiet_us - exact &&
                          clock_of(result, 1) <= quiet_us + 20,
                      "%lu bytes: %g us, not %g to %g", (unsigned long)sizes[i],
                      clock_of(result, 1), quiet_us, quiet_us + 20);
        ck_assert_uint_eq(result->losses.dropped, 0);
        ccmod_result_free(result);
    }
}
END_TEST

START_TEST(in_tcp_a_buffer_of_the_largest_queue_drops_nothing_and_a_smaller_one_does)
{
    ccmod_losses unlimited, enough, less;
    double unlimited_us = end_of(0, 0, &unlimited);

    ck_assert_uint_eq(unlimited.dropped, 0);
    ck_assert_uint_gt(unlimited.queue_bytes, 20000);
    ck_assert(!(fabs(end_of(unlimited.queue_bytes, 0, &enough) - unlimited_us) > 0));
    ck_assert_uint_eq(enough.dropped, 0);
    ck_assert_uint_eq(enough.queue_bytes, unlimited.queue_bytes);
    end_of(unlimited.queue_bytes - 1, 0, &less);
    ck_assert_uint_gt(less.dropped, 0);
    ck_assert_uint_ge(less.retransmitted, less.dropped);
    ck_assert_uint_lt(less.queue_bytes, unlimited.queue_bytes);
}
END_TEST

/* The threshold is alpha times what the queue itself leaves free, if no other port has one; frames
 * of acknowledgement may be in others. */
START_TEST(in_tcp_a_shared_buffer_limits_a_queue_by_what_is_free)
{
    static const double alphas[] = {0.5, 1, 4};
    ccmod_losses unlimited, shared;

    end_of(0, 0, &unlimited);
    for (size_t i = 0; i < sizeof(alphas) / sizeof(alphas[0]); i++) {
        double bytes = (double)unlimited.queue_bytes * (1 + 1 / alphas[i]);

        end_of((uint64_t)bytes + 1000, alphas[i], &shared);
        ck_assert_msg(shared.dropped == 0, "alpha %g: %lu dropped", alphas[i],
                      (unsigned long)shared.dropped);
        end_of((uint64_t)(bytes * 0.9), alphas[i], &shared);
        ck_assert_msg(shared.dropped > 0, "alpha %g: nothing dropped", alphas[i]);
        ck_assert_msg((double)shared.queue_bytes <= 0.9 * (double)unlimited.queue_bytes + 1,
                      "alpha %g: a queue of %lu bytes", alphas[i],
                      (unsigned long)shared.queue_bytes);
    }
}
END_TEST

/* Two sources send a frame each, and the port has room for one: the other is not missed before a
 * timer of 200 ms. */
START_TEST(in_tcp_a_lost_last_segment_costs_a_timeout)
{
    static const char text[] = HEAD "1-2:\nis 0 1000\nw\n0:\nir 1 1000\nir 2 1000\nw\n";
    ccmod_calibration calibration = ethernet();
    ccmod_parameters parameters = with_buffer(1600, 0);
    ccmod_result *result = evaluate(text, &calibration, &parameters);

    ck_assert_uint_eq(result->losses.dropped, 1);
    ck_assert_uint_eq(result->losses.retransmitted, 1);
    ck_assert_msg(result->end_us > 200000 && result->end_us < 210000, "%g us", result->end_us);
    ccmod_result_free(result);
}
END_TEST

START_TEST(in_tcp_everything_arrives_through_any_buffer)
{
    for (uint64_t bytes = 1600; bytes < 60000; bytes += 1514) {
        for (double alpha = 0; alpha <= 8; alpha += 4) {
            ccmod_losses losses;
            double end_us = end_of(alpha > 0 ? 2 * bytes : bytes, alpha, &losses);

            UNIT_REQUIRE(end_us > 20 * 60000 / 10, "%lu bytes, alpha %g: %g us",
                         (unsigned long)bytes, alpha, end_us);
            UNIT_REQUIRE(losses.queue_bytes <= 2 * bytes, "%lu bytes: a queue of %lu",
                         (unsigned long)bytes, (unsigned long)losses.queue_bytes);
        }
    }
}
END_TEST

START_TEST(in_tcp_the_seed_decides_and_the_same_seed_gives_the_same)
{
    ccmod_calibration calibration = ethernet();
    ccmod_parameters parameters = with_buffer(20000, 0);
    double ends_us[3];

    for (size_t i = 0; i < 3; i++) {
        ccmod_result *result;

        parameters.seed = i < 2 ? 7 : 8;
        result = evaluate(incast, &calibration, &parameters);
        ends_us[i] = result->end_us;
        ccmod_result_free(result);
    }
    ck_assert(!(fabs(ends_us[0] - ends_us[1]) > 0));
    ck_assert(fabs(ends_us[0] - ends_us[2]) > 0);
}
END_TEST

static void expect_refused(const char *text, const ccmod_parameters *parameters, const char *part)
{
    ccmod_calibration calibration = ethernet();
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(text_evaluate(text, &calibration, parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
}

START_TEST(in_tcp_what_does_not_apply_is_refused)
{
    ccmod_parameters parameters = with_buffer(2000, 0);

    expect_refused(HEAD "0: m 1-3 1000\n1-3: r 0 1000\n", &parameters, "multicast");
    parameters.mode = CCMOD_PAPER;
    expect_refused(incast, &parameters, "mode split");
    parameters.mode = CCMOD_SPLIT;
    parameters.background = CCMOD_BACKGROUND_CONSTANT;
    parameters.background_load = 0.1;
    expect_refused(incast, &parameters, "no background");
    parameters = with_buffer(2000, (double)NAN);
    expect_refused(incast, &parameters, "threshold");
    parameters = with_buffer(1000, 0);
    expect_refused(incast, &parameters, "never pass");
    parameters = with_buffer(3000, 1);
    expect_refused(incast, &parameters, "never pass");
    parameters.share = CCMOD_FIFO;
    expect_refused(incast, &parameters, "share rule fifo");
}
END_TEST

UNIT_PART(evaluation_tcp, in_tcp_a_lone_message_takes_its_quiet_time,
          in_tcp_a_buffer_of_the_largest_queue_drops_nothing_and_a_smaller_one_does,
          in_tcp_a_shared_buffer_limits_a_queue_by_what_is_free,
          in_tcp_a_lost_last_segment_costs_a_timeout, in_tcp_everything_arrives_through_any_buffer,
          in_tcp_the_seed_decides_and_the_same_seed_gives_the_same,
          in_tcp_what_does_not_apply_is_refused)
