/* The figures of the computing. */
#include "occupation/occupation.h"

#include <math.h>

enum { TURNS_MINIMUM = 5 };

occupation_figures occupation_figures_of(const occupation_work *work, double tick_ns)
{
    const occupation_figures none = {(double)NAN, (double)NAN, (double)NAN, false};
    occupation_figures figures = none;
    double turn_each_ns = (double)work->ranks * tick_ns, done_ns = work->beside_work_ns;
    double alone_share;

    if (work->ranks == 0 || work->alone_ns <= 0 || work->beside_ns <= 0)
        return figures;
    alone_share = work->alone_work_ns / work->alone_ns;
    figures.alone_pct = 100 * alone_share;
    if (work->alone_work_ns < TURNS_MINIMUM * turn_each_ns)
        return figures;
    figures.at_least = done_ns < TURNS_MINIMUM * turn_each_ns;
    if (figures.at_least)
        done_ns += turn_each_ns;
    figures.slowdown = alone_share * work->beside_ns / done_ns;
    if (figures.at_least && figures.slowdown < 1)
        return (occupation_figures){figures.alone_pct, none.slowdown, none.left_pct, false};
    figures.left_pct = 100 / figures.slowdown;
    return figures;
}

void occupation_fill_row(const occupation_result *found, double step_ns, report_row *row)
{
    if (found->alone_step_ns <= 0)
        return;
    report_set_number(row, REPORT_SLOWDOWN_COMMUNICATION, step_ns / found->alone_step_ns);
    for (bench_side side = 0; side < BENCH_SIDES; side++) {
        occupation_figures figures = occupation_figures_of(&found->sides[side], found->tick_ns);
        const char *name = bench_side_name(side);

        report_set_member(row, REPORT_COMPUTING_ALONE_PCT, figures.alone_pct, "%s", name);
        report_set_member(row, REPORT_SLOWDOWN_COMPUTING, figures.slowdown, "%s", name);
        report_set_member(row, REPORT_COMPUTING_LEFT_PCT, figures.left_pct, "%s", name);
        if (figures.at_least)
            report_set_member_flag(row, REPORT_SLOWDOWN_COMPUTING_AT_LEAST, true, "%s", name);
    }
}
