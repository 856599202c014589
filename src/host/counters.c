/* Reads counters from /proc/net, which is that of the process's network namespace, and from the
 * ports of InfiniBand and RoCE adapters. */
#include "host/counters.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "host/internal.h"

typedef enum { OF_SNMP, OF_NETSTAT, OF_INTERFACES, OF_PORTS, ORIGINS } origin;

/* Where a counter is: the group and name of a line of /proc/net/snmp or netstat, the number of a
 * column of /proc/net/dev, or the file of an InfiniBand port. */
typedef struct {
    origin from;
    const char *group, *name;
    size_t column;
} place;

#define SNMP(of, what)                                                                             \
    {                                                                                              \
        OF_SNMP, .group = (of), .name = (what)                                                     \
    }
#define NETSTAT(of, what)                                                                          \
    {                                                                                              \
        OF_NETSTAT, .group = (of), .name = (what)                                                  \
    }
#define INTERFACE(which)                                                                           \
    {                                                                                              \
        OF_INTERFACES, .column = (which)                                                           \
    }
#define PORT(folder, what)                                                                         \
    {                                                                                              \
        OF_PORTS, .group = (folder), .name = (what)                                                \
    }

/* One line for each counter: where it is, its key, its unit, whether it has a mark, its meaning. */
#define COUNTERS(X)                                                                                \
    X(SNMP("Tcp", "RetransSegs"), "retransmitted", "segments", true, "TCP sent again")             \
    X(NETSTAT("TcpExt", "TCPTimeouts"), "timeouts", "timeouts", true,                              \
      "of TCP's retransmission, after which a connection starts slowly")                           \
    X(NETSTAT("TcpExt", "TCPFastRetrans"), "fast_retransmitted", "segments", false,                \
      "TCP sent again before a timeout; among `retransmitted`")                                    \
    X(NETSTAT("TcpExt", "TCPOFOQueue"), "out_of_order", "segments", false,                         \
      "TCP received before an earlier one")                                                        \
    X(NETSTAT("TcpExt", "TCPRcvQDrop"), "tcp_dropped", "segments", true,                           \
      "TCP dropped because a receive queue was full")                                              \
    X(SNMP("Tcp", "InErrs"), "tcp_errors", "segments", true, "TCP received with errors")           \
    X(NETSTAT("IpExt", "InCEPkts"), "ecn_marks", "packets", true,                                  \
      "received with the mark of a congested switch (ECN)")                                        \
    X(SNMP("Udp", "InErrors"), "udp_errors", "datagrams", true,                                    \
      "UDP received and did not deliver")                                                          \
    X(SNMP("Udp", "RcvbufErrors"), "udp_receive_full", "datagrams", false,                         \
      "UDP dropped because a receive buffer was full; among `udp_errors`")                         \
    X(SNMP("Udp", "SndbufErrors"), "udp_send_full", "datagrams", true,                             \
      "UDP dropped because a send buffer was full")                                                \
    X(INTERFACE(2), "receive_errors", "packets", true, "interfaces received with errors")          \
    X(INTERFACE(3), "receive_dropped", "packets", true,                                            \
      "interfaces received and dropped, also those of unknown protocols")                          \
    X(INTERFACE(4), "receive_overruns", "packets", true,                                           \
      "interfaces lost because the host took them too slowly")                                     \
    X(INTERFACE(10), "send_errors", "packets", true, "interfaces failed to send")                  \
    X(INTERFACE(11), "send_dropped", "packets", true, "interfaces dropped instead of sending")     \
    X(INTERFACE(12), "send_overruns", "packets", true, "interfaces lost from their send queue")    \
    X(INTERFACE(14), "carrier_losses", "packets", true,                                            \
      "interfaces failed to send because the link was down")                                       \
    X(PORT("counters", "port_xmit_discards"), "port_discards", "packets", true,                    \
      "InfiniBand ports could not send")                                                           \
    X(PORT("counters", "port_xmit_wait"), "port_waits", "ticks", false,                            \
      "InfiniBand ports had data and no credit to send it")                                        \
    X(PORT("counters", "port_rcv_errors"), "port_errors", "packets", true,                         \
      "InfiniBand ports received with errors")                                                     \
    X(PORT("counters", "symbol_error"), "port_symbol_errors", "errors", true,                      \
      "of symbols on InfiniBand links: a bad cable")                                               \
    X(PORT("counters", "link_downed"), "port_downs", "times", true,                                \
      "an InfiniBand link went down")                                                              \
    X(PORT("counters", "excessive_buffer_overrun_errors"), "port_overruns", "times", true,         \
      "an InfiniBand port's buffer overran")                                                       \
    X(PORT("hw_counters", "out_of_sequence"), "port_out_of_order", "packets", true,                \
      "RoCE adapters received out of order: one was lost before")                                  \
    X(PORT("hw_counters", "local_ack_timeout_err"), "port_timeouts", "timeouts", true,             \
      "of acknowledgements to InfiniBand and RoCE adapters")                                       \
    X(PORT("hw_counters", "np_ecn_marked_roce_packets"), "port_ecn_marks", "packets", true,        \
      "RoCE adapters received with the mark of a congested switch (ECN)")                          \
    X(PORT("hw_counters", "rp_cnp_handled"), "port_notices", "packets", false,                     \
      "by which receivers asked RoCE adapters to send more slowly")

#define ROW(where, name, counted, has_mark, text)                                                  \
    {.key = (name), .unit = (counted), .meaning = (text), .is_marked = (has_mark)},
#define PLACE(where, ...) where,

static const cb_counter rows[] = {COUNTERS(ROW)};
static const place places[] = {COUNTERS(PLACE)};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == HOST_COUNTERS,
               "HOST_COUNTERS is not their number");

const cb_counter_set host_counter_set = {
    .group = "host_counters", .rows = rows, .count = HOST_COUNTERS};

enum { COUNTERS_FILE_BYTES = 65536, LINE_COLUMNS = 17 };

static const char ports[] = "sys/class/infiniband";

/* Sums over interfaces and ports begin at the first that has the counter. */
static void add(host_counts *out, size_t index, uint64_t value)
{
    out->values[index] =
        out->values[index] == CB_COUNTER_ABSENT ? value : out->values[index] + value;
}

/* The next word of a line that ends at a newline or at the end of the text; NULL: none. */
static const char *next_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, " \t");

    *length = strcspn(word, " \t\n");
    *at = word + *length;
    return *length > 0 ? word : NULL;
}

static bool is_word(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length && strncmp(word, expected, length) == 0;
}

static bool to_number(const char *word, size_t length, uint64_t *out)
{
    char digits[24], *end;

    if (length == 0 || length >= sizeof(digits) || word[0] < '0' || word[0] > '9')
        return false;
    snprintf(digits, sizeof(digits), "%.*s", (int)length, word);
    *out = strtoull(digits, &end, 10);
    return *end == '\0';
}

/* The values of one group: a line of names, "Tcp: InSegs OutSegs", and one of numbers below it. */
static void take_group(origin from, const char *names, const char *numbers, host_counts *out)
{
    size_t group_length, length, number_length;
    const char *group = next_word(&names, &group_length);
    const char *word = next_word(&numbers, &length), *name;

    if (group == NULL || word == NULL || group_length < 2 || length != group_length ||
        strncmp(group, word, length) != 0)
        return;
    while ((name = next_word(&names, &length)) != NULL &&
           (word = next_word(&numbers, &number_length)) != NULL)
        for (size_t i = 0; i < HOST_COUNTERS; i++) {
            uint64_t value;

            if (places[i].from == from && is_word(group, group_length - 1, places[i].group) &&
                is_word(name, length, places[i].name) && to_number(word, number_length, &value))
                add(out, i, value);
        }
}

void host_take_groups(bool is_netstat, const char *text, host_counts *out)
{
    while (*text != '\0') {
        const char *names = text, *numbers = strchr(text, '\n');

        if (numbers == NULL)
            return;
        numbers++;
        take_group(is_netstat ? OF_NETSTAT : OF_SNMP, names, numbers, out);
        text = strchr(numbers, '\n');
        if (text == NULL)
            return;
        text++;
    }
}

/* "  eth0: 12 3 0 ...": name, then eight columns of received and eight of sent packets. The name
 * may touch the first number. */
static void take_interface(const char *line, host_counts *out)
{
    const char *name = line + strspn(line, " "), *colon = name + strcspn(name, ":\n");
    size_t name_length = (size_t)(colon - name), slot = out->interfaces;
    uint64_t faults = 0, value;

    if (*colon != ':' || name_length == 0 || name_length >= HOST_INTERFACE_BYTES ||
        is_word(name, name_length, "lo"))
        return;
    line = colon + 1;
    for (size_t column = 0; column < LINE_COLUMNS - 1; column++) {
        size_t length;
        const char *word = next_word(&line, &length);

        if (word == NULL || !to_number(word, length, &value))
            return;
        for (size_t i = 0; i < HOST_COUNTERS; i++)
            if (places[i].from == OF_INTERFACES && places[i].column == column) {
                add(out, i, value);
                faults += value;
            }
    }
    if (slot == HOST_INTERFACES)
        return;
    memcpy(out->names[slot], name, name_length);
    out->names[slot][name_length] = '\0';
    out->faults[slot] = faults;
    out->interfaces++;
}

void host_take_interfaces(const char *text, host_counts *out)
{
    for (; text != NULL && *text != '\0'; text = strchr(text, '\n')) {
        text += *text == '\n';
        take_interface(text, out);
    }
}

/* A port of an adapter: one file for each counter. Most adapters lack some of them. */
static void take_port(const char *root, const char *port, host_counts *out)
{
    for (size_t i = 0; i < HOST_COUNTERS; i++) {
        char path[512], text[64];
        uint64_t value;

        if (places[i].from != OF_PORTS)
            continue;
        snprintf(path, sizeof(path), "%.400s/%s/%s", port, places[i].group, places[i].name);
        if (host_read_text(root, path, text, sizeof(text)) &&
            to_number(text, strcspn(text, "\n"), &value))
            add(out, i, value);
    }
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void take_ports_of(const char *root, const char *adapter, host_counts *out)
{
    char path[512];
    struct dirent **found;
    int count;

    snprintf(path, sizeof(path), "%.250s/%s/%.100s/ports", root, ports, adapter);
    count = scandir(path, &found, is_visible, versionsort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%.100s/ports/%.100s", ports, adapter, found[i]->d_name);
        take_port(root, path, out);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

static void take_ports(const char *root, host_counts *out)
{
    char path[512];
    struct dirent **found;
    int count;

    snprintf(path, sizeof(path), "%.400s/%s", root, ports);
    count = scandir(path, &found, is_visible, versionsort);
    for (int i = 0; i < count; i++) {
        take_ports_of(root, found[i]->d_name, out);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

/* A file of which the first COUNTERS_FILE_BYTES are not all is not used: sums would be too small.
 */
static void take_file(const char *root, origin from, host_counts *out)
{
    static const char *const paths[] = {[OF_SNMP] = "proc/net/snmp",
                                        [OF_NETSTAT] = "proc/net/netstat",
                                        [OF_INTERFACES] = "proc/net/dev"};
    static bool is_reported[ORIGINS]; /* of this host, so once for all ranks of a process */
    char text[COUNTERS_FILE_BYTES];

    if (!host_read_text(root, paths[from], text, sizeof(text)) ||
        strlen(text) == sizeof(text) - 1) {
        if (!is_reported[from])
            cb_warning("cannot read %s/%s, or it is longer than %d bytes: rows lack this host's "
                       "counters of it; check that /proc is mounted",
                       root, paths[from], COUNTERS_FILE_BYTES - 1);
        is_reported[from] = true;
        return;
    }
    if (from == OF_INTERFACES)
        host_take_interfaces(text, out);
    else
        host_take_groups(from == OF_NETSTAT, text, out);
}

void host_counts_clear(host_counts *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < HOST_COUNTERS; i++)
        out->values[i] = CB_COUNTER_ABSENT;
}

void host_count_below(const char *root, host_counts *out)
{
    host_counts_clear(out);
    take_file(root, OF_SNMP, out);
    take_file(root, OF_NETSTAT, out);
    take_file(root, OF_INTERFACES, out);
    take_ports(root, out);
}

void host_count(host_counts *out)
{
    host_count_below("", out);
}

/* The faults of an interface at an earlier reading; as many as now if it is new, since what it
 * counted before is unknown. */
static uint64_t faults_before(const host_counts *before, const char *name, uint64_t now)
{
    for (size_t i = 0; i < before->interfaces; i++)
        if (strcmp(before->names[i], name) == 0)
            return before->faults[i];
    return now;
}

/* A counter that is smaller than before belongs to an interface that was removed or reset. */
void host_increases(const host_counts *before, const host_counts *after,
                    uint64_t increases[HOST_COUNTERS], char interface[HOST_INTERFACE_BYTES])
{
    uint64_t most = 0;

    interface[0] = '\0';
    for (size_t i = 0; i < HOST_COUNTERS; i++) {
        const uint64_t first = before->values[i], last = after->values[i];

        increases[i] = first == CB_COUNTER_ABSENT || last == CB_COUNTER_ABSENT || last < first
                           ? CB_COUNTER_ABSENT
                           : last - first;
    }
    for (size_t i = 0; i < after->interfaces; i++) {
        const uint64_t now = after->faults[i];
        const uint64_t then = faults_before(before, after->names[i], now);

        if (now > then && now - then > most) {
            most = now - then;
            memcpy(interface, after->names[i], HOST_INTERFACE_BYTES);
        }
    }
}
