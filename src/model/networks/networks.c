/* Shared by networks. For kinds: arguments "key=value,..." by a table per kind, sizes that
 * saturate, and a network in one block of memory. For users: operations on any network, by its own
 * slot or the default. */
#include "model/networks/networks.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { VALUE_BYTES = 128, KEYS = 16 };

/* State of reading a text. */
typedef struct {
    const network_argument *rows;
    size_t row_count;
    const char *text, *form;
    void *values;
    ccmod_error *error;
    bool given[KEYS];
} argument_reader;

static ccmod_status report_argument(const argument_reader *reader, const char *problem, int length,
                                    const char *word)
{
    return ccmod_fail(reader->error, CCMOD_ERROR_USAGE, NULL, 0,
                      "network '%.100s': %s '%.*s'; write it as %s", reader->text, problem,
                      length < VALUE_BYTES ? length : VALUE_BYTES, word, reader->form);
}

static bool read_shape(const char *value, const network_argument *row, network_shape *shape,
                       char *why)
{
    size_t count = 0;

    for (;;) {
        size_t length = strcspn(value, "x");
        char size_text[VALUE_BYTES];
        uint64_t size = 0;

        if (count == NETWORK_DIMENSIONS) {
            snprintf(why, CB_WHY_BYTES, "more than %d dimensions", (int)NETWORK_DIMENSIONS);
            return false;
        }
        snprintf(size_text, sizeof(size_text), "%.*s", (int)length, value);
        if (!cb_parse_count(size_text, row->minimum, row->maximum, &size, why))
            return false;
        shape->sizes[count++] = (uint32_t)size;
        if (value[length] == '\0')
            break;
        value += length + 1;
    }
    shape->count = count;
    return true;
}

static bool read_value(const network_argument *row, const char *value, void *field, char *why)
{
    switch (row->type) {
    case NETWORK_COUNT:
        return cb_parse_count(value, row->minimum, row->maximum, field, why);
    case NETWORK_REAL:
        return cb_parse_real(value, (double)row->minimum, (double)row->maximum, NULL, field, why);
    case NETWORK_SHAPE:
        return read_shape(value, row, field, why);
    }
    return false;
}

static ccmod_status read_argument(argument_reader *reader, const char *word, size_t length)
{
    size_t key_length = strcspn(word, "=");
    char value[VALUE_BYTES], why[CB_WHY_BYTES] = "";
    size_t at = 0;

    if (key_length >= length)
        return report_argument(reader, "no value in", (int)length, word);
    if (length - key_length > sizeof(value))
        return report_argument(reader, "value too long in", (int)length, word);
    while (at < reader->row_count && (strlen(reader->rows[at].key) != key_length ||
                                      memcmp(reader->rows[at].key, word, key_length) != 0))
        at++;
    if (at == reader->row_count)
        return report_argument(reader, "unknown parameter", (int)key_length, word);
    if (reader->given[at])
        return report_argument(reader, "repeated parameter", (int)key_length, word);
    reader->given[at] = true;
    snprintf(value, sizeof(value), "%.*s", (int)(length - key_length - 1), word + key_length + 1);
    if (!read_value(&reader->rows[at], value, (char *)reader->values + reader->rows[at].offset,
                    why))
        return ccmod_fail(reader->error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': %s '%s': %s; write it as %s", reader->text,
                          reader->rows[at].key, value, why, reader->form);
    return CCMOD_OK;
}

ccmod_status ccmod_network_read_arguments(const network_argument *rows, size_t row_count,
                                          const char *arguments, const char *text, const char *form,
                                          void *values, ccmod_error *error)
{
    argument_reader reader = {rows, row_count, text, form, values, error, {false}};
    const char *word = arguments;

    while (word != NULL) {
        size_t length = strcspn(word, ",");

        CCMOD_TRY(read_argument(&reader, word, length));
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    return CCMOD_OK;
}

/* Making a network */

uint64_t ccmod_network_plus(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

uint64_t ccmod_network_times(uint64_t left, uint64_t right)
{
    return right > 0 && left > UINT64_MAX / right ? UINT64_MAX : left * right;
}

ccmod_status ccmod_network_no_memory(const char *text, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                      "network '%.100s': out of memory; make it smaller", text);
}

/* Followed in memory by the shape and the name. */
typedef struct {
    ccmod_network network;
    alignas(max_align_t) char rest[];
} made_network;

ccmod_status ccmod_network_make(const network_plan *plan, const char *text, ccmod_network **out,
                                ccmod_error *error)
{
    made_network *made;
    char *name;

    if (plan->nodes > NETWORK_LARGEST || plan->links > NETWORK_LARGEST)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': it has more than %" PRIu64 " nodes or links; "
                          "make it smaller",
                          text, NETWORK_LARGEST);
    made = malloc(sizeof(*made) + plan->shape_bytes + strlen(plan->name) + 1);
    if (made == NULL)
        return ccmod_network_no_memory(text, error);
    name = made->rest + plan->shape_bytes;
    strcpy(name, plan->name);
    if (plan->shape_bytes > 0)
        memcpy(made->rest, plan->shape, plan->shape_bytes);
    made->network = (ccmod_network){
        .operations = plan->operations,
        .name = name,
        .nodes = plan->nodes,
        .links = plan->links,
        .longest_route = plan->longest_route,
        .payload_bytes =
            plan->payload_bytes > 0 ? plan->payload_bytes : NETWORK_ETHERNET_PAYLOAD_BYTES,
        .header_bytes =
            plan->payload_bytes > 0 ? plan->header_bytes : NETWORK_ETHERNET_HEADER_BYTES,
        .needs_calibration = plan->needs_calibration,
        .self = made->rest,
    };
    *out = &made->network;
    return CCMOD_OK;
}

void ccmod_network_release(ccmod_network *network)
{
    free(network);
}

void ccmod_network_free(ccmod_network *network)
{
    if (network != NULL && network->operations->release != NULL)
        network->operations->release(network);
}

void ccmod_link_name(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    if (network->operations->name_link != NULL)
        network->operations->name_link(network, link, text, bytes);
    else
        snprintf(text, bytes, "link %u", link);
}

/* The quiet network */

void ccmod_network_use_packets(const ccmod_calibration *calibration, ccmod_network *network)
{
    if (calibration->payload_bytes == 0)
        return;
    network->payload_bytes = calibration->payload_bytes;
    network->header_bytes = (uint64_t)(calibration->header_bytes + 0.5);
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

/* Trees of multicasts */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

size_t ccmod_network_join(const ccmod_network *network, network_router *route, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells, size_t *hops)
{
    size_t total = 0, kept = 0;

    *hops = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = route(network, source, destinations[i], source, cells + total);

        *hops = length > *hops ? length : *hops;
        total += length;
    }
    qsort(cells, total, sizeof(*cells), by_number);
    for (size_t i = 0; i < total; i++) {
        if (kept == 0 || cells[kept - 1] != cells[i])
            cells[kept++] = cells[i];
    }
    return kept;
}

/* The only route. */
static size_t route_to(const ccmod_network *network, uint32_t source, uint32_t destination,
                       uint32_t chooser, uint32_t *cells)
{
    (void)chooser;
    return network->operations->route(network, source, destination, cells);
}

size_t ccmod_network_tree(const ccmod_network *network, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells, size_t *hops)
{
    if (network->operations->tree != NULL)
        return network->operations->tree(network, source, destinations, count, cells, hops);
    return ccmod_network_join(network, route_to, source, destinations, count, cells, hops);
}
