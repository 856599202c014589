/* Find the packets of a network in the times of messages: each further packet adds a header, a step
 * of the time. All payloads and headers of a grid are tried; each set of times has the line with
 * the least relative residuals over the bytes on the links, and counts as its own residuals allow:
 * the likelihood is that of normal residuals with a variance for each set. */
#include <ccmod/calibration.h>

#include <math.h>

enum {
    LEAST_PAYLOAD = 512,
    LARGEST_PAYLOAD = 9216,
    PAYLOAD_STEP = 4,
    LEAST_HEADER = 16,
    LARGEST_HEADER = 200,
    HEADER_STEP = 2,
    LEAST_SIZES = 8 /* in a set */
};

static const double largest_residual = 0.03; /* rms, of lines over the bytes on the links */
/* Packets have to describe the times better than lines alone by this much, in the criterion of
 * Schwarz, with three more values: payload, header, and that many were tried. */
static const double clearly_better = 10;
static const double further_values = 3;

/* The squares of the residuals of a set, relative to each time, about its best line. */
static double squares_about_line(const ccmod_point_set *set, uint64_t payload_bytes,
                                 double header_bytes)
{
    double weight = 0, bytes = 0, time = 0, bytes_bytes = 0, bytes_time = 0, time_time = 0, spread;

    for (size_t i = 0; i < set->count; i++) {
        const ccmod_point *point = &set->points[i];
        double one = 1 / (point->time_us * point->time_us);
        double on_links = ccmod_bytes_on_links(payload_bytes, header_bytes, point->bytes);

        weight += one;
        bytes += one * on_links;
        time += one * point->time_us;
        bytes_bytes += one * on_links * on_links;
        bytes_time += one * on_links * point->time_us;
        time_time += one * point->time_us * point->time_us;
    }
    spread = bytes_bytes - bytes * bytes / weight;
    if (!(spread > 0))
        return HUGE_VAL;
    bytes_time -= bytes * time / weight;
    return fmax(0, time_time - time * time / weight - bytes_time * bytes_time / spread);
}

/* Minus twice the logarithm of the likelihood, but for a constant. */
static double misfit(const ccmod_point_set *sets, size_t count, uint64_t payload_bytes,
                     double header_bytes)
{
    const double exact = 1e-12; /* squares of residuals that are those of the arithmetic */
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double points = (double)sets[i].count;
        double squares = squares_about_line(&sets[i], payload_bytes, header_bytes);

        sum += points * log(fmax(exact, squares / points));
    }
    return sum;
}

/* The middle of the payloads that describe the times equally well: sizes between two measured ones
 * cannot be distinguished. */
static uint64_t middle_payload(const ccmod_point_set *sets, size_t count, uint64_t first,
                               double header_bytes, double least)
{
    const double same = 1e-6;
    uint64_t last = first;

    while (last + PAYLOAD_STEP <= LARGEST_PAYLOAD &&
           misfit(sets, count, last + PAYLOAD_STEP, header_bytes) <= least + same)
        last += PAYLOAD_STEP;
    return (first + last) / 2;
}

bool ccmod_calibration_find_packets(const ccmod_point_set *sets, size_t count,
                                    uint64_t *payload_bytes, double *header_bytes)
{
    double points = 0, squares = 0, least = HUGE_VAL;

    for (size_t i = 0; i < count; i++) {
        if (sets[i].count < LEAST_SIZES)
            return false;
        points += (double)sets[i].count;
    }
    for (uint64_t payload = LEAST_PAYLOAD; payload <= LARGEST_PAYLOAD; payload += PAYLOAD_STEP) {
        for (int header = LEAST_HEADER; header <= LARGEST_HEADER; header += HEADER_STEP) {
            double found = misfit(sets, count, payload, header);

            if (found < least) {
                least = found;
                *payload_bytes = payload;
                *header_bytes = header;
            }
        }
    }
    for (size_t i = 0; i < count; i++)
        squares += squares_about_line(&sets[i], *payload_bytes, *header_bytes);
    if (!(count > 0 && sqrt(squares / points) <= largest_residual) ||
        misfit(sets, count, 0, 0) - least <= clearly_better + further_values * log(points))
        return false;
    *payload_bytes = middle_payload(sets, count, *payload_bytes, *header_bytes, least);
    return true;
}
