#include "report/marks.h"

#include <string.h>

/* A farm has no computing task, and a row that is saturated, disturbed or beside a computing task
 * has no target precision: it has at most two of the other marks. */
static const report_mark marks[] = {
    {'*', REPORT_OVERSUBSCRIBED, REPORT_MARK_TRUE,
     .meaning = "oversubscribed: more busy ranks than cores on a host",
     .remedy = "draw no conclusion about the network; use fewer ranks or more hosts"},
    {'/', REPORT_PIECE_BYTES, REPORT_MARK_PRESENT,
     .meaning = "sent in pieces, which the receiver copies together",
     .remedy = "give the technology larger receive buffers"},
    /* The line below such a row says whether its run was saturated. */
    {'=', REPORT_FOUND_HZ, REPORT_MARK_PRESENT,
     .meaning = "rate found by --find-rate, the highest that held the deadline; the other figures "
                "are of one more "
                "run at this rate",
     .remedy = "the line below the row says in how many trials it held"},
    {'!', REPORT_SATURATED, REPORT_MARK_TRUE, .is_of_trial = true,
     .meaning =
         "saturated: the offered rate is more than could be carried; if ^ is also shown, the "
         "supervisor is the limit",
     .remedy = "offer less"},
    {'^', REPORT_LIMITED_BY, REPORT_MARK_IS, .text = "supervisor", .is_of_trial = true,
     .meaning = "the supervisor is the limit, not the farm: it could not issue the events in time",
     .remedy = "see `--supervisor`, and give the supervisor a core"},
    /* In per cent; an offered rate is expected to be kept to 1 %. */
    {'?', REPORT_GENERATOR_ERROR_PCT, REPORT_MARK_ABOVE, .above = 1,
     .meaning = "events were issued more than 1 % off their schedule, but not increasingly late: "
                "the run was "
                "disturbed",
     .remedy = "measure again"},
    {'>', REPORT_SLOWDOWN_COMPUTING_AT_LEAST, REPORT_MARK_PRESENT,
     .meaning = "too little was computed for a figure: the slowdown is a lower bound, the "
                "computing left an upper "
                "bound",
     .remedy = "longer `--max-time`"},
    {'&', REPORT_COUNTERS, REPORT_MARK_COUNTED,
     .meaning = "packets were lost, sent again, timed out, marked by ECN, doubled or foreign: see "
                "the counters of the "
                "technology in the "
                "result",
     .remedy = "a larger buffer in the switch, or fewer senders at a time"},
    {'<', REPORT_RATES_FROM, REPORT_MARK_IS, .text = "totals",
     .meaning = "something was lost or waited for: rates are what was delivered in all of the "
                "time, and the times are "
                "medians, which leave the waits out",
     .remedy = "see `&`, `%` and the p99.9 of the row; with neither, other programs or too few "
               "cores made blocks wait"},
    {'%', REPORT_HOSTS_WITH_FAULTS, REPORT_MARK_ABOVE,
     .meaning = "a host of the row sent again, dropped, or got packets marked by a congested "
                "switch, maybe of other "
                "programs: see host_counters in the result",
     .remedy = "look for other traffic; compare with a technology that counts its own packets"},
    {'#', REPORT_ERRORS, REPORT_MARK_ABOVE,
     .meaning = "duplicate, late or unexpected messages; see errors in the result",
     .remedy = "`--verify`"},
    {'$', REPORT_STEPS_BELOW_MEDIAN, REPORT_MARK_TRUE,
     .meaning = "even the longest single step is below the median of the blocks: p50 to max are of "
                "a pass of their "
                "own, which was disturbed less",
     .remedy = "compare percentiles with each other only"},
    {'~', REPORT_STOPPED_BY, REPORT_MARK_IS_NOT, .text = "precision",
     .meaning = "the requested precision was not reached within --max-time or --messages",
     .remedy = "longer `--max-time`, or a quieter machine"},
};

_Static_assert(sizeof(marks) / sizeof(marks[0]) <= REPORT_MARKS_MOST, "enlarge REPORT_MARKS_MOST");

const report_mark *report_marks(size_t *count)
{
    *count = sizeof(marks) / sizeof(marks[0]);
    return marks;
}

static bool has_marked_counter(const report_row *row)
{
    for (const report_cell *cell = report_cells_of(REPORT_COUNTERS); cell->path != NULL; cell++)
        if (cell->marked && report_row_number(row, REPORT_COUNTERS, cell->path) > 0)
            return true;
    return false;
}

bool report_mark_applies(const report_mark *mark, const report_row *row)
{
    const char *text;

    if (!report_row_has(row, mark->column) ||
        (mark->is_of_trial && report_row_has(row, REPORT_FOUND_HZ)))
        return false;
    switch (mark->when) {
    case REPORT_MARK_TRUE:
        return report_row_flag(row, mark->column, "");
    case REPORT_MARK_IS:
    case REPORT_MARK_IS_NOT:
        text = report_row_text(row, mark->column, "");
        return text != NULL && (strcmp(text, mark->text) == 0) == (mark->when == REPORT_MARK_IS);
    case REPORT_MARK_ABOVE:
        return report_row_number(row, mark->column, "") > mark->above;
    case REPORT_MARK_COUNTED:
        return has_marked_counter(row);
    case REPORT_MARK_PRESENT:
        break;
    }
    return true;
}

void report_describe_marks(report_stream *out, const char *key)
{
    static const char *const conditions[] = {
        [REPORT_MARK_PRESENT] = "present", [REPORT_MARK_TRUE] = "true",
        [REPORT_MARK_IS] = "is",           [REPORT_MARK_IS_NOT] = "is not",
        [REPORT_MARK_ABOVE] = "above",     [REPORT_MARK_COUNTED] = "counted",
    };

    report_stream_array(out, key);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char sign[] = {marks[i].sign, '\0'};

        report_stream_object(out, NULL);
        report_stream_text(out, "sign", sign);
        report_stream_text(out, "key", report_columns[marks[i].column].key);
        report_stream_text(out, "when", conditions[marks[i].when]);
        report_stream_text(out, "text", marks[i].text);
        if (marks[i].when == REPORT_MARK_ABOVE)
            report_stream_number(out, "above", marks[i].above);
        report_stream_flag(out, "of_trial", marks[i].is_of_trial);
        report_stream_text(out, "meaning", marks[i].meaning);
        report_stream_text(out, "remedy", marks[i].remedy);
        report_stream_end(out);
    }
    report_stream_end(out);
}
