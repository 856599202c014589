/* Matrices, faults and warnings. */
#include "linkmap/row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"

enum { NAME_TEXT = PLACE_TEXT + 16 };

/* The name of a host; with the rank if several ranks of the map have hosts of that name. */
static void name_host(const map_description *map, int host, char name[NAME_TEXT])
{
    const link_place *place = &map->places[host];
    bool alone = true;

    for (size_t i = 0; i < map->hosts; i++)
        alone = alone && ((int)i == host || strcmp(place->host, map->places[i].host) != 0);
    if (alone)
        snprintf(name, NAME_TEXT, "%s", place->host);
    else
        snprintf(name, NAME_TEXT, "%s rank %d", place->host, place->rank);
}

static double own_value(double value, double bytes)
{
    (void)bytes;
    return value;
}

static double as_us(double time_s, double bytes)
{
    (void)bytes;
    return time_s * 1e6;
}

static double as_MBps(double time_s, double bytes)
{
    return bytes / time_s / 1e6;
}

static void fill_matrix(const map_description *map, const char *key, const double *values,
                        double (*convert)(double value, double bytes), double *line,
                        report_row *row)
{
    const double bytes = (double)(map->packets * map->size_bytes);

    for (size_t i = 0; i < map->hosts; i++) {
        for (size_t k = 0; k < map->hosts; k++)
            line[k] = convert(values[map->order[i] * map->hosts + map->order[k]], bytes);
        report_set_member_numbers(row, REPORT_LINKMAP, line, map->hosts, "%s.%zu", key, i);
    }
}

static void fill_hosts(const map_description *map, report_row *row)
{
    for (size_t i = 0; i < map->hosts; i++) {
        const link_place *place = &map->places[map->order[i]];
        char name[NAME_TEXT];

        name_host(map, (int)map->order[i], name);
        report_set_member_text(row, REPORT_LINKMAP, name, "hosts.%zu.name", i);
        report_set_member(row, REPORT_LINKMAP, place->rank, "hosts.%zu.rank", i);
        report_set_member_text(row, REPORT_LINKMAP, place->at_switch, "hosts.%zu.switch", i);
    }
}

static const char *figure_of(map_quantity quantity)
{
    static const char *const figures[MAP_QUANTITIES] = {
        [MAP_LATENCY] = "latency", [MAP_ONE_WAY] = "one way", [MAP_BOTH_WAYS] = "both ways"};

    return figures[quantity];
}

static void fill_faults(const map_description *map, report_row *row)
{
    for (size_t i = 0; i < map->fault_count; i++) {
        const map_fault *fault = &map->faults[i];
        char name[NAME_TEXT];

        report_set_member_text(row, REPORT_LINK_FAULTS, map_kind_name(fault->kind), "%zu.kind", i);
        name_host(map, fault->host, name);
        report_set_member_text(row, REPORT_LINK_FAULTS, name, "%zu.host", i);
        if (fault->peer != MAP_NOWHERE) {
            name_host(map, fault->peer, name);
            report_set_member_text(row, REPORT_LINK_FAULTS, name, "%zu.peer", i);
        }
        report_set_member_text(row, REPORT_LINK_FAULTS, map_direction_name(fault->direction),
                               "%zu.direction", i);
        if (fault->kind == MAP_SLOW) {
            report_set_member_text(row, REPORT_LINK_FAULTS, figure_of(fault->quantity),
                                   "%zu.figure", i);
            report_set_member(row, REPORT_LINK_FAULTS, fault->factor, "%zu.factor", i);
        } else if (fault->kind != MAP_LOST) {
            report_set_member(row, REPORT_LINK_FAULTS, (double)fault->stalls, "%zu.stalls", i);
            report_set_member(row, REPORT_LINK_FAULTS, (double)fault->samples, "%zu.samples", i);
        }
    }
}

void row_fill_map(const map_description *map, report_row *row)
{
    const map_figures *figures = map->figures;
    double *line = cb_allocate(map->hosts, sizeof(*line), "a line of a map");

    if (line == NULL) {
        row->broken = true;
        return;
    }
    report_set_member(row, REPORT_LINKMAP, (double)map->cycles, "cycles");
    report_set_member(row, REPORT_LINKMAP, (double)map->packets, "packets");
    report_set_member(row, REPORT_LINKMAP, (double)map->fault_count, "faults");
    fill_hosts(map, row);
    if (figures != NULL) {
        fill_matrix(map, "latency_us", figures->median[MAP_LATENCY], as_us, line, row);
        if (map->size_bytes > 0) {
            fill_matrix(map, "one_way_MBps", figures->median[MAP_ONE_WAY], as_MBps, line, row);
            fill_matrix(map, "slowest_MBps", figures->longest_s, as_MBps, line, row);
            fill_matrix(map, "both_ways_MBps", figures->median[MAP_BOTH_WAYS], as_MBps, line, row);
        }
        fill_matrix(map, "one_way_us", figures->median[MAP_ONE_WAY], as_us, line, row);
        fill_matrix(map, "spread", figures->spread, own_value, line, row);
        fill_matrix(map, "stalls", figures->stalls, own_value, line, row);
        fill_matrix(map, "samples", figures->samples, own_value, line, row);
    }
    free(line);
    fill_faults(map, row);
}

cb_status row_fill_spread(report_column column, const double *values, size_t count, report_row *row)
{
    double *sorted = cb_allocate(count + 1, sizeof(*sorted), "the figures of a map");
    size_t kept = 0;

    if (sorted == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            sorted[kept++] = values[i];
    qsort(sorted, kept, sizeof(*sorted), cb_ascending_reals);
    if (kept > 0) {
        report_set_member(row, column, sorted[0], "lowest");
        report_set_member(row, column, stats_quantile(sorted, kept, 0.5), "median");
        report_set_member(row, column, sorted[kept - 1], "highest");
    }
    free(sorted);
    return CB_OK;
}

/* "host03", "host03 to host07". */
static void name_link(const map_description *map, const map_fault *fault, char *text, size_t bytes)
{
    static const char *const between[] = {"to", "from", "to and from"};
    char host[NAME_TEXT], peer[NAME_TEXT];

    name_host(map, fault->host, host);
    if (fault->peer == MAP_NOWHERE) {
        snprintf(text, bytes, "%s", host);
        return;
    }
    name_host(map, fault->peer, peer);
    snprintf(text, bytes, "the link of %s %s %s", host, between[fault->direction], peer);
}

/* Whether no cable is between the two; of a whole host, between it and any other. */
static bool is_within_a_host(const map_description *map, const map_fault *fault)
{
    const link_place *place = &map->places[fault->host];
    bool within = true;

    if (fault->peer != MAP_NOWHERE)
        return places_distance(place, &map->places[fault->peer]) == 0;
    for (size_t i = 0; i < map->hosts; i++)
        within = within && places_distance(place, &map->places[i]) == 0;
    return within;
}

static const char *remedy_of(const map_description *map, const map_fault *fault)
{
    static const char *const remedies[] = {
        [MAP_SLOW] = "see its cable, its port and the rate that its interface has negotiated",
        [MAP_LOSSY] = "see its cable, and the error counters of its interface and port",
        [MAP_FLAPPING] = "see its cable, and the link events in the logs of host and switch"};

    return is_within_a_host(map, fault)
               ? "see what else uses the cores of this host, and the placement of its ranks"
               : remedies[fault->kind];
}

void row_warn(const map_description *map, const map_fault *fault)
{
    static const char *const directions[] = {", outwards", ", inwards", ", in both directions"};
    const char *direction = fault->peer == MAP_NOWHERE ? directions[fault->direction] : "";
    char link[3 * NAME_TEXT];

    name_link(map, fault, link, sizeof(link));
    switch (fault->kind) {
    case MAP_SLOW:
        cb_warning("%s is slow%s: %s %.1f times the expected time; %s", link, direction,
                   figure_of(fault->quantity), fault->factor, remedy_of(map, fault));
        break;
    case MAP_LOSSY:
        cb_warning("%s loses packets%s: %zu of %zu samples stalled or lost some; %s", link,
                   direction, fault->stalls, fault->samples, remedy_of(map, fault));
        break;
    case MAP_FLAPPING:
        cb_warning("%s is down from time to time: %zu of %zu samples stalled for long; %s", link,
                   fault->stalls, fault->samples, remedy_of(map, fault));
        break;
    case MAP_LOST:
        cb_warning("%s was lost during the map, and is left out of the rest", link);
        break;
    }
}
