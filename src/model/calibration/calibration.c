/* What a message costs on the quiet network: piecewise lines of overhead, latency and a price for
 * each byte, fitted to measurements. */
#include <ccmod/calibration.h>

#include <math.h>

ccmod_calibration ccmod_calibration_line(double overhead_us, double latency_us,
                                         double bandwidth_MBps)
{
    /* 1 MB/s is one byte in a microsecond */
    return (ccmod_calibration){
        .lines = {{UINT64_MAX, overhead_us, latency_us, 1 / bandwidth_MBps}},
        .line_count = 1,
    };
}

static const ccmod_line *line_for(const ccmod_line *lines, size_t count, uint64_t bytes)
{
    const ccmod_line *line = lines, *last = lines + count - 1;

    while (line < last && bytes > line->to_bytes)
        line++;
    return line;
}

ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                      uint64_t bytes)
{
    const ccmod_line *line = line_for(calibration->lines, calibration->line_count, bytes);
    ccmod_delay delay = {line->overhead_us, line->latency_us, (double)bytes * line->us_per_byte};
    double kept_us = fmax(delay.transfer_us, calibration->gap_us); /* its links */

    if (calibration->hold_count > 0) {
        const ccmod_line *hold = line_for(calibration->holds, calibration->hold_count, bytes);

        kept_us = hold->latency_us + (double)bytes * hold->us_per_byte;
    }
    delay.latency_us = fmax(0, delay.latency_us - (kept_us - delay.transfer_us));
    delay.transfer_us = kept_us;
    if (hops > 2)
        delay.latency_us += (double)(hops - 2) * calibration->hop_us;
    return delay;
}

void ccmod_calibration_divide(ccmod_calibration *calibration, double overhead_us)
{
    for (size_t i = 0; i < calibration->line_count; i++) {
        ccmod_line *line = &calibration->lines[i];
        double start_up_us = line->overhead_us + line->latency_us;

        line->overhead_us = fmin(overhead_us, start_up_us);
        line->latency_us = start_up_us - line->overhead_us;
    }
}
