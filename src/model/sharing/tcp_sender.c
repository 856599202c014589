/* The sender of one direction of a TCP connection. Names in brackets are those of Linux. */
#include "model/sharing/tcp_sender.h"

#include <math.h>
#include <stdlib.h>

#include "base/parts.h"

enum {
    SEGMENT_SACKED = 1, /* arrived beyond a gap */
    SEGMENT_LOST = 2,   /* taken for lost */
    SEGMENT_RESENT = 4, /* sent again since it was taken for lost, or as a probe */
    SEGMENT_AGAIN = 8   /* was sent more than once: its round trip is ambiguous */
};

enum {
    LEAST_WINDOW = 2,
    REORDERING = 3, /* segments that arrived beyond a gap prove a loss */
    MOST_DOUBLINGS = 15
};

static const double least_timeout_us = CB_IDLE_US, longest_timeout_us = 120e6;
static const double timer_step_us = 8000; /* two ticks of 250 Hz */

void tcp_sender_open(tcp_sender *sender, uint64_t segment_bytes, double round_trip_us)
{
    *sender = (tcp_sender){.segment_bytes = segment_bytes,
                           .window = CB_FIRST_WINDOW,
                           .threshold = SIZE_MAX,
                           .smoothed_us = round_trip_us,
                           .least_us = round_trip_us,
                           .deviation_us = 2 * round_trip_us,
                           .deviation_most_us = least_timeout_us,
                           .variation_us = least_timeout_us,
                           .rack_sent_us = -HUGE_VAL,
                           .last_sent_us = -HUGE_VAL,
                           .window_us = -HUGE_VAL};
}

void tcp_sender_close(tcp_sender *sender)
{
    free(sender->segments);
}

static tcp_segment *segment_at(const tcp_sender *sender, size_t number)
{
    return &sender->segments[(sender->first + number) % sender->room];
}

static uint64_t segment_start(const tcp_sender *sender, size_t number)
{
    return number == 0 ? sender->unacknowledged : segment_at(sender, number - 1)->end;
}

static size_t in_flight(const tcp_sender *sender)
{
    return sender->count + sender->resent - sender->sacked - sender->lost;
}

static size_t smaller(size_t left, size_t right)
{
    return left < right ? left : right;
}

static size_t larger(size_t left, size_t right)
{
    return left > right ? left : right;
}

/* Round trips and timers */

static double timeout_us(const tcp_sender *sender)
{
    unsigned doublings = sender->timeouts < MOST_DOUBLINGS ? sender->timeouts : MOST_DOUBLINGS;

    return fmin(ldexp(sender->smoothed_us + sender->variation_us, (int)doublings),
                longest_timeout_us);
}

/* [tcp_rtt_estimator] Deviations are four times the mean deviation. */
static void note_round_trip(tcp_sender *sender, double taken_us)
{
    double error_us = taken_us - sender->smoothed_us;
    double more_us = fabs(error_us) - sender->deviation_us / 4;

    sender->least_us = fmin(sender->least_us, taken_us);
    sender->smoothed_us += error_us / 8;
    sender->deviation_us += error_us < 0 && more_us > 0 ? more_us / 8 : more_us;
    if (sender->deviation_us > sender->deviation_most_us) {
        sender->deviation_most_us = sender->deviation_us;
        sender->variation_us = fmax(sender->variation_us, sender->deviation_most_us);
    }
    if (sender->unacknowledged > sender->round_end) {
        if (sender->deviation_most_us < sender->variation_us)
            sender->variation_us -= (sender->variation_us - sender->deviation_most_us) / 4;
        sender->round_end = sender->next;
        sender->deviation_most_us = least_timeout_us;
    }
}

static void set_timer(tcp_sender *sender, tcp_timer timer, double time_us)
{
    sender->timer = timer;
    sender->timer_us = time_us;
}

/* [tcp_rearm_rto] */
static void set_retransmission_timer(tcp_sender *sender, double now_us)
{
    double since_us = now_us;

    if (sender->count == 0) {
        sender->timer = TCP_TIMER_NONE;
        return;
    }
    if (sender->timer == TCP_TIMER_PROBE || sender->timer == TCP_TIMER_REORDER)
        since_us = segment_at(sender, 0)->sent_us;
    set_timer(sender, TCP_TIMER_RETRANSMIT, fmax(since_us + timeout_us(sender), now_us + 1));
}

/* [tcp_schedule_loss_probe] */
static bool set_probe_timer(tcp_sender *sender, bool acknowledged, double now_us)
{
    double wait_us, limit_us;

    if (sender->count == 0 || (sender->state != TCP_OPEN && sender->state != TCP_REDUCED))
        return false;
    wait_us = 2 * sender->smoothed_us + (sender->count == 1 ? least_timeout_us : timer_step_us);
    limit_us = timeout_us(sender);
    if (!acknowledged)
        limit_us += segment_at(sender, 0)->sent_us - now_us;
    if (limit_us > 0)
        wait_us = fmin(wait_us, limit_us);
    set_timer(sender, TCP_TIMER_PROBE, now_us + wait_us);
    return true;
}

/* The window */

static bool is_starting_slowly(const tcp_sender *sender)
{
    return sender->window < sender->threshold;
}

/* [tcp_is_cwnd_limited] */
static bool is_limited(const tcp_sender *sender)
{
    return sender->limited || (is_starting_slowly(sender) && sender->window < 2 * sender->most_out);
}

/* A threshold of three quarters of the window, or what it was [tcp_current_ssthresh]. */
static void remember_window(tcp_sender *sender)
{
    sender->threshold = sender->threshold == SIZE_MAX
                            ? SIZE_MAX
                            : larger(sender->threshold, sender->window / 4 * 3);
}

/* [tcp_cwnd_validate, tcp_cwnd_application_limited] A window that the application does not use
 * shrinks towards what it uses. */
static void validate_window(tcp_sender *sender, bool limited, double now_us)
{
    if (sender->unacknowledged >= sender->usage_end || limited ||
        (!sender->limited && sender->count > sender->most_out)) {
        sender->limited = limited;
        sender->most_out = sender->count;
        sender->usage_end = sender->next;
    }
    if (is_limited(sender)) {
        sender->window_used = 0;
        sender->window_us = now_us;
        return;
    }
    sender->window_used = larger(sender->window_used, sender->count);
    if (now_us - sender->window_us < timeout_us(sender))
        return;
    if (sender->state == TCP_OPEN) {
        size_t used = larger(sender->window_used, CB_FIRST_WINDOW);

        if (used < sender->window) {
            remember_window(sender);
            sender->window = (sender->window + used) / 2;
        }
        sender->window_used = 0;
    }
    sender->window_us = now_us;
}

/* [tcp_reno_cong_avoid] */
static void raise_window(tcp_sender *sender, size_t arrived)
{
    if (!is_limited(sender))
        return;
    if (is_starting_slowly(sender)) {
        size_t more = smaller(arrived, sender->threshold - sender->window);

        sender->window += more;
        arrived -= more;
    }
    if (arrived == 0)
        return;
    if (sender->window_part >= sender->window) {
        sender->window_part = 0;
        sender->window++;
    }
    sender->window_part += arrived;
    if (sender->window_part >= sender->window) {
        size_t more = sender->window_part / sender->window;

        sender->window_part -= more * sender->window;
        sender->window += more;
    }
}

/* [tcp_cwnd_restart] */
static void restart_after_idle(tcp_sender *sender, double idle_us)
{
    double limit_us = timeout_us(sender);
    size_t least = smaller(CB_FIRST_WINDOW, sender->window);

    remember_window(sender);
    while ((idle_us -= limit_us) > 0 && sender->window > least)
        sender->window /= 2;
    sender->window = larger(sender->window, least);
    sender->window_used = 0;
}

static void begin_reduction(tcp_sender *sender)
{
    sender->high = sender->next;
    sender->window_before = sender->window;
    sender->reduction_delivered = sender->reduction_sent = 0;
    sender->threshold = larger(sender->window / 2, LEAST_WINDOW);
}

/* [tcp_cwnd_reduction] Proportional rate reduction. */
static void reduce_window(tcp_sender *sender, size_t arrived, bool lost_more, bool advanced)
{
    size_t flight = in_flight(sender), quota;

    if (arrived == 0)
        return;
    sender->reduction_delivered += arrived;
    if (flight > sender->threshold) {
        size_t due = (sender->threshold * sender->reduction_delivered + sender->window_before - 1) /
                     sender->window_before;

        quota = due > sender->reduction_sent ? due - sender->reduction_sent : 0;
    } else {
        quota = sender->reduction_delivered > sender->reduction_sent
                    ? sender->reduction_delivered - sender->reduction_sent
                    : 0;
        quota = larger(quota, arrived) + (advanced && !lost_more);
        quota = smaller(quota, sender->threshold - flight);
    }
    sender->window = flight + larger(quota, sender->reduction_sent == 0 ? 1 : 0);
}

static void end_reduction(tcp_sender *sender, double now_us)
{
    sender->window = sender->threshold;
    sender->window_us = now_us;
    sender->state = TCP_OPEN;
}

/* Losses */

static void mark_lost(tcp_sender *sender, tcp_segment *segment)
{
    if ((segment->flags & SEGMENT_SACKED) != 0)
        return;
    if ((segment->flags & SEGMENT_LOST) == 0) {
        segment->flags |= SEGMENT_LOST;
        sender->lost++;
    } else if ((segment->flags & SEGMENT_RESENT) != 0) {
        segment->flags &= (uint8_t)~SEGMENT_RESENT;
        sender->resent--;
    }
}

/* How much longer the segment may be late [tcp_rack_skb_timeout]. */
static double remaining_us(const tcp_sender *sender, const tcp_segment *segment, double now_us)
{
    bool sure = sender->state >= TCP_RECOVERY || sender->sacked >= REORDERING;
    double reordering_us = sure ? 0 : fmin(sender->least_us / 4, sender->smoothed_us / 8);

    return sender->rack_us + reordering_us - (now_us - segment->sent_us);
}

/* A segment is lost if one that was sent later has arrived, and a time for reordering has passed
 * [tcp_rack_detect_loss]. Returns whether a lost segment was one that had been sent again; *waits
 * becomes true if the timer was set for others. */
static bool detect_losses(tcp_sender *sender, double now_us, bool *waits)
{
    bool again = false;
    double wait_us = -HUGE_VAL;

    for (size_t i = 0; i < sender->count; i++) {
        tcp_segment *segment = segment_at(sender, i);
        bool earlier =
            segment->sent_us < sender->rack_sent_us ||
            (!(segment->sent_us > sender->rack_sent_us) && segment->end < sender->rack_end);
        double left_us;

        if (!earlier || (segment->flags & SEGMENT_SACKED) != 0 ||
            (segment->flags & (SEGMENT_LOST | SEGMENT_RESENT)) == SEGMENT_LOST)
            continue;
        left_us = remaining_us(sender, segment, now_us);
        if (left_us > 0) {
            wait_us = fmax(wait_us, left_us);
            continue;
        }
        again = again || (segment->flags & SEGMENT_RESENT) != 0;
        mark_lost(sender, segment);
    }
    *waits = !isinf(wait_us);
    if (*waits)
        set_timer(sender, TCP_TIMER_REORDER, now_us + wait_us + timer_step_us);
    return again;
}

static void enter_recovery(tcp_sender *sender)
{
    if (sender->state != TCP_REDUCED && sender->state != TCP_RECOVERY)
        begin_reduction(sender);
    sender->high = sender->next;
    sender->state = TCP_RECOVERY;
}

/* [tcp_enter_loss] */
static void enter_loss(tcp_sender *sender, double now_us)
{
    bool fresh = sender->state < TCP_RECOVERY;

    for (size_t i = 0; i < sender->count; i++) {
        if (i == 0 || !(remaining_us(sender, segment_at(sender, i), now_us) > 0))
            mark_lost(sender, segment_at(sender, i));
    }
    if (sender->state <= TCP_DISORDER || sender->high <= sender->unacknowledged ||
        (sender->state == TCP_LOSS && sender->timeouts == 0))
        sender->threshold = larger(sender->window / 2, LEAST_WINDOW);
    sender->window = in_flight(sender) + 1;
    sender->window_part = 0;
    sender->window_us = now_us;
    sender->state = TCP_LOSS;
    sender->high = sender->next;
    sender->first_try = fresh || sender->timeouts > 0;
}

void tcp_sender_expire(tcp_sender *sender, double now_us)
{
    tcp_timer expired = sender->timer;

    sender->timer = TCP_TIMER_NONE;
    if (expired == TCP_TIMER_REORDER) {
        size_t flight = in_flight(sender);
        bool waits;

        detect_losses(sender, now_us, &waits);
        if (in_flight(sender) != flight && sender->state != TCP_RECOVERY) {
            enter_recovery(sender);
            reduce_window(sender, 1, true, false);
        }
        if (!waits)
            set_retransmission_timer(sender, now_us);
    } else if (expired == TCP_TIMER_PROBE) {
        sender->probe_due = sender->probe_end == 0;
        sender->timer = TCP_TIMER_PROBE; /* the timeout counts from the sending of the oldest */
        set_retransmission_timer(sender, now_us);
        if (sender->probe_due)
            set_timer(sender, TCP_TIMER_RETRANSMIT, now_us + timeout_us(sender));
    } else if (expired == TCP_TIMER_RETRANSMIT) {
        enter_loss(sender, now_us);
        sender->timeouts++;
        sender->probe_end = 0;
        set_retransmission_timer(sender, now_us);
    }
}

/* Acknowledgements */

typedef struct {
    size_t arrived;       /* segments that are known to have arrived by this acknowledgement */
    double round_trip_us; /* of a segment that was sent once; below 0: unknown */
    bool advanced, sacked;
    bool ambiguous; /* acknowledged segments were sent more than once */
} tcp_news;

/* [tcp_rack_advance] */
static void note_arrival(tcp_sender *sender, const tcp_segment *segment, double now_us)
{
    double taken_us = now_us - segment->sent_us;

    if ((segment->flags & SEGMENT_AGAIN) != 0 && taken_us < sender->least_us)
        return; /* it is the first transmission that arrived */
    sender->rack_us = taken_us;
    sender->rack_advanced = true;
    if (segment->sent_us > sender->rack_sent_us ||
        (!(segment->sent_us < sender->rack_sent_us) && segment->end > sender->rack_end)) {
        sender->rack_sent_us = segment->sent_us;
        sender->rack_end = segment->end;
    }
}

static void note_sacked(tcp_sender *sender, const tcp_acknowledgement *said, double now_us,
                        tcp_news *news)
{
    for (size_t i = 0; i < sender->count; i++) {
        tcp_segment *segment = segment_at(sender, i);

        if (segment->end > said->sack_end)
            return;
        if (segment_start(sender, i) < said->sack_start || segment->end <= said->acked ||
            (segment->flags & SEGMENT_SACKED) != 0)
            continue;
        if ((segment->flags & SEGMENT_AGAIN) == 0 && news->round_trip_us < 0)
            news->round_trip_us = now_us - segment->sent_us;
        note_arrival(sender, segment, now_us);
        if ((segment->flags & SEGMENT_LOST) != 0) {
            sender->lost--;
            sender->resent -= (segment->flags & SEGMENT_RESENT) != 0;
            segment->flags &= (uint8_t) ~(SEGMENT_LOST | SEGMENT_RESENT);
        }
        segment->flags |= SEGMENT_SACKED;
        sender->sacked++;
        news->arrived++;
        news->sacked = true;
    }
}

static void note_acknowledged(tcp_sender *sender, const tcp_acknowledgement *said, double now_us,
                              tcp_news *news)
{
    double first_us = -1;

    while (sender->count > 0 && segment_at(sender, 0)->end <= said->acked) {
        const tcp_segment *segment = segment_at(sender, 0);

        if ((segment->flags & SEGMENT_AGAIN) != 0)
            news->ambiguous = true;
        else if (first_us < 0)
            first_us = now_us - segment->sent_us;
        if ((segment->flags & SEGMENT_SACKED) != 0) {
            sender->sacked--;
        } else {
            news->arrived++;
            note_arrival(sender, segment, now_us);
        }
        sender->lost -= (segment->flags & SEGMENT_LOST) != 0;
        sender->resent -= (segment->flags & SEGMENT_RESENT) != 0;
        sender->unacknowledged = segment->end;
        sender->first = (sender->first + 1) % sender->room;
        sender->count--;
    }
    if (first_us >= 0 && !news->ambiguous)
        news->round_trip_us = first_us;
    else if (news->round_trip_us < 0)
        news->round_trip_us = now_us - said->echo_us;
}

/* [tcp_process_tlp_ack] A probe that repaired a loss is followed by a reduction. */
static void end_probe(tcp_sender *sender, const tcp_acknowledgement *said, const tcp_news *news,
                      double now_us)
{
    if (sender->probe_end == 0 || said->acked < sender->probe_end)
        return;
    if (!sender->probe_resent || said->duplicate) {
        sender->probe_end = 0;
    } else if (said->acked > sender->probe_end) {
        sender->probe_end = 0;
        if (sender->state < TCP_REDUCED) {
            begin_reduction(sender);
            end_reduction(sender, now_us);
        }
    } else if (!news->advanced && !news->sacked) {
        sender->probe_end = 0;
    }
}

/* [tcp_process_loss] Whether new data is to be sent before what is taken for lost: F-RTO. */
static bool leave_loss(tcp_sender *sender, const tcp_news *news)
{
    bool recovered = sender->unacknowledged >= sender->high;

    if (sender->first_try) {
        if (sender->next > sender->high) {
            if (news->sacked || !news->advanced)
                sender->first_try = false;
        } else if (news->advanced && !recovered) {
            sender->high = sender->next;
            if (sender->written > sender->next)
                return true;
            sender->first_try = false;
        }
    }
    if (recovered)
        sender->state = TCP_OPEN;
    return false;
}

/* [tcp_fastretrans_alert] */
static bool change_state(tcp_sender *sender, const tcp_news *news, double now_us, bool *waits)
{
    size_t lost_before = sender->lost;
    bool lost_again = false, new_data_first = false;

    *waits = false;

    if ((sender->state == TCP_REDUCED || sender->state == TCP_RECOVERY) &&
        sender->unacknowledged >= sender->high)
        end_reduction(sender, now_us);
    if (sender->state == TCP_LOSS)
        new_data_first = leave_loss(sender, news);
    if (sender->rack_advanced &&
        (sender->sacked > 0 || sender->resent > 0 || sender->lost > 0 || sender->state != TCP_OPEN))
        lost_again = detect_losses(sender, now_us, waits);
    sender->rack_advanced = false;
    if (sender->state == TCP_RECOVERY || (sender->state == TCP_LOSS && !lost_again)) {
        if (sender->state == TCP_RECOVERY)
            reduce_window(sender, news->arrived, sender->lost > lost_before, news->advanced);
        return new_data_first;
    }
    if (sender->lost > 0) {
        enter_recovery(sender);
        reduce_window(sender, news->arrived, true, news->advanced);
        return false;
    }
    sender->state = sender->sacked > 0 || sender->resent > 0 ? TCP_DISORDER : TCP_OPEN;
    if (news->advanced)
        raise_window(sender, news->arrived);
    return false;
}

void tcp_sender_acknowledge(tcp_sender *sender, const tcp_acknowledgement *said, double now_us)
{
    tcp_news news = {.round_trip_us = -1, .advanced = said->acked > sender->unacknowledged};
    bool was_lost = sender->state == TCP_LOSS, waits;

    note_sacked(sender, said, now_us, &news);
    if (news.advanced) {
        sender->timeouts = 0;
        note_acknowledged(sender, said, now_us, &news);
    }
    if (news.round_trip_us >= 0)
        note_round_trip(sender, news.round_trip_us);
    end_probe(sender, said, &news, now_us);
    sender->new_data_first = change_state(sender, &news, now_us, &waits);
    if (was_lost && sender->state == TCP_LOSS && news.advanced)
        raise_window(sender, news.arrived);
    if (sender->count == 0)
        sender->timer = TCP_TIMER_NONE;
    else if (news.advanced && !waits && !set_probe_timer(sender, true, now_us))
        set_retransmission_timer(sender, now_us);
}

/* Sending */

void tcp_sender_write(tcp_sender *sender, uint64_t bytes, double now_us)
{
    double idle_us = now_us - sender->last_sent_us;

    if (sender->count == 0 && !isinf(idle_us) && idle_us > timeout_us(sender))
        restart_after_idle(sender, idle_us);
    sender->written += bytes;
}

bool tcp_sender_reserve(tcp_sender *sender)
{
    enum { FIRST_ROOM = 16 };
    size_t room = sender->room > 0 ? 2 * sender->room : FIRST_ROOM;
    tcp_segment *wider;

    if (sender->count < sender->room)
        return true;
    wider = malloc(room * sizeof(*wider));
    if (wider == NULL)
        return false;
    for (size_t i = 0; i < sender->count; i++)
        wider[i] = *segment_at(sender, i);
    free(sender->segments);
    sender->segments = wider;
    sender->first = 0;
    sender->room = room;
    return true;
}

static void send_new(tcp_sender *sender, double now_us, tcp_data *data)
{
    uint64_t bytes = sender->written - sender->next;

    if (bytes > sender->segment_bytes)
        bytes = sender->segment_bytes;
    *data = (tcp_data){sender->next, sender->next + bytes, now_us, false};
    sender->next += bytes;
    sender->count++;
    *segment_at(sender, sender->count - 1) = (tcp_segment){.end = data->end, .sent_us = now_us};
    sender->new_data = true;
}

static void send_again(tcp_sender *sender, size_t number, double now_us, tcp_data *data)
{
    tcp_segment *segment = segment_at(sender, number);

    if ((segment->flags & SEGMENT_RESENT) == 0)
        sender->resent++;
    segment->flags |= SEGMENT_RESENT | SEGMENT_AGAIN;
    segment->sent_us = now_us;
    *data = (tcp_data){segment_start(sender, number), segment->end, now_us, true};
}

/* The first segment that is taken for lost and was not sent again, or the number of segments. */
static size_t find_lost(const tcp_sender *sender)
{
    size_t number = 0;

    if (sender->lost == 0)
        return sender->count;
    while (number < sender->count &&
           (segment_at(sender, number)->flags & (SEGMENT_LOST | SEGMENT_RESENT)) != SEGMENT_LOST)
        number++;
    return number;
}

bool tcp_sender_take(tcp_sender *sender, double now_us, tcp_data *data)
{
    bool unsent = sender->written > sender->next;
    size_t lost;

    if (sender->probe_due) {
        sender->probe_due = false;
        sender->probe_resent = !unsent;
        if (unsent)
            send_new(sender, now_us, data);
        else if (sender->count > 0)
            send_again(sender, sender->count - 1, now_us, data);
        else
            return false;
        sender->probe_end = sender->next;
        sender->last_sent_us = now_us;
        return true;
    }
    if (in_flight(sender) >= sender->window)
        return false;
    lost = sender->new_data_first ? sender->count : find_lost(sender);
    if (lost < sender->count)
        send_again(sender, lost, now_us, data);
    else if (unsent)
        send_new(sender, now_us, data);
    else
        return false;
    sender->reduction_sent++;
    sender->last_sent_us = now_us;
    return true;
}

void tcp_sender_settle(tcp_sender *sender, double now_us)
{
    bool full = in_flight(sender) >= sender->window;

    if (sender->new_data || (full && sender->written > sender->next))
        validate_window(sender, full, now_us);
    sender->new_data_first = false;
    if (sender->timer == TCP_TIMER_NONE)
        set_retransmission_timer(sender, now_us);
    if (sender->new_data && sender->probe_end == 0 && !set_probe_timer(sender, false, now_us) &&
        sender->timer == TCP_TIMER_PROBE)
        set_retransmission_timer(sender, now_us);
    sender->new_data = false;
}
