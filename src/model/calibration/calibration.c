/* What a message costs on the quiet network: piecewise lines of overhead, latency and a price for
 * each byte, fitted to measurements, and the inverse that tells packets from time. */
#include <ccmod/ccmod.h>

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

/* How long a message keeps its links, of which `transfer_us` are the bytes of a lone one. */
static double held_us(const ccmod_calibration *calibration, uint64_t bytes, double transfer_us)
{
    const ccmod_line *hold;

    if (calibration->hold_count == 0)
        return fmax(transfer_us, calibration->gap_us);
    hold = line_for(calibration->holds, calibration->hold_count, bytes);
    return hold->latency_us + (double)bytes * hold->us_per_byte;
}

ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                      uint64_t bytes)
{
    const ccmod_line *line = line_for(calibration->lines, calibration->line_count, bytes);
    ccmod_delay delay = {line->overhead_us, line->latency_us, (double)bytes * line->us_per_byte};
    double kept_us = held_us(calibration, bytes, delay.transfer_us);

    delay.latency_us = fmax(0, delay.latency_us - (kept_us - delay.transfer_us));
    delay.transfer_us = kept_us;
    if (hops > 2)
        delay.latency_us += (double)(hops - 2) * calibration->hop_us;
    return delay;
}

ccmod_delay ccmod_quiet_delay(const ccmod_network *network, const ccmod_calibration *calibration,
                              size_t hops, uint64_t bytes)
{
    if (network->operations->quiet_delay != NULL)
        return network->operations->quiet_delay(network, calibration, hops, bytes);
    return ccmod_default_quiet_delay(calibration, hops, bytes);
}

uint64_t ccmod_packets(const ccmod_network *network, uint64_t bytes)
{
    if (bytes <= network->payload_bytes)
        return 1;
    return bytes / network->payload_bytes + (bytes % network->payload_bytes > 0);
}

double ccmod_quiet_packets(const ccmod_network *network, const ccmod_calibration *calibration,
                           size_t hops, uint64_t bytes, double work_us)
{
    ccmod_delay quiet;
    double transferred_us;

    if (network->operations->quiet_packets != NULL)
        return network->operations->quiet_packets(network, calibration, hops, bytes, work_us);
    quiet = ccmod_quiet_delay(network, calibration, hops, bytes);
    transferred_us = work_us - quiet.overhead_us - quiet.latency_us;
    if (transferred_us < 0)
        return 0;
    if (transferred_us >= quiet.transfer_us)
        return (double)ccmod_packets(network, bytes);
    return (double)ccmod_packets(network, bytes) * transferred_us / quiet.transfer_us;
}
