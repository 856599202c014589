/* The figures of the computing. */
#include "occupation/occupation.h"

#include <math.h>

enum { TURNS_MINIMUM = 5 };

bench_side_figures bench_side_figures_of(const bench_side_work *work, double tick_ns)
{
    const bench_side_figures none = {(double)NAN, (double)NAN, (double)NAN, false};
    bench_side_figures figures = none;
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
        return (bench_side_figures){figures.alone_pct, none.slowdown, none.left_pct, false};
    figures.left_pct = 100 / figures.slowdown;
    return figures;
}
