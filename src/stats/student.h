/* Student's t, for intervals of means. Pure. */
#ifndef STATS_STUDENT_H
#define STATS_STUDENT_H

#include <stddef.h>

/* The value that |t| exceeds in 5 % of all cases, with `freedom` > 0 degrees of freedom. */
double stats_student_95(size_t freedom);

#endif
