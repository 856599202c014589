/* The quantile by bisection of the distribution, which has a finite sum for whole degrees of
 * freedom (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4). */
#include "stats/student.h"

#include <math.h>

static const double coverage = 0.95;

/* Probability of |t| <= sqrt(freedom) tan(angle). */
static double inside(size_t freedom, double angle)
{
    const double half_pi = acos(0), square = cos(angle) * cos(angle);
    double term = 1, sum = 0;

    if (freedom % 2 == 0) {
        for (size_t k = 2; k <= freedom; k += 2) {
            sum += term;
            term *= (double)(k - 1) / (double)k * square;
        }
        return sin(angle) * sum;
    }
    for (size_t k = 3; k <= freedom; k += 2) {
        sum += term;
        term *= (double)(k - 1) / (double)k * square;
    }
    return (angle + sin(angle) * cos(angle) * sum) / half_pi;
}

double stats_student_95(size_t freedom)
{
    double low = 0, high = acos(0);

    for (double middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
        *(inside(freedom, middle) < coverage ? &low : &high) = middle;
    return sqrt((double)freedom) * tan(high);
}
