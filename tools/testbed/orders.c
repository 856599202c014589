/* Orders are datagrams between files (Unix sockets), independent of the hosts' networks, which they
 * may disturb. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

#define ORDERS_PATH HOSTS_FOLDER "/control"

enum { WORD_BYTES = 32, TIMEOUT_S = 10 };

static const char known_orders[] = "cut HOST, join HOST, loss HOST PCT, duplicate HOST PCT, "
                                   "reorder HOST PCT, jitter HOST TIME, rate HOST RATE, rate-out "
                                   "HOST RATE, rate-in HOST RATE, flap HOST PERIOD DOWN; HOST may "
                                   "be all";

enum { VALUES = 2 };

/* `values` numbers with the unit follow the host. */
static const struct order_kind {
    const char *verb;
    size_t values;
    const char *unit;
    double maximum;
    enum { CUT, JOIN, LOSS, DUPLICATE, REORDER, JITTER, RATE, RATE_OUT, RATE_IN, FLAP } fault;
} kinds[] = {
    {"cut", 0, NULL, 0, CUT},
    {"join", 0, NULL, 0, JOIN},
    {"loss", 1, "%", 100, LOSS},
    {"duplicate", 1, "%", 100, DUPLICATE},
    {"reorder", 1, "%", 100, REORDER},
    {"jitter", 1, "s", 10, JITTER},
    {"rate", 1, "bit/s", 1e12, RATE},
    {"rate-out", 1, "bit/s", 1e12, RATE_OUT},
    {"rate-in", 1, "bit/s", 1e12, RATE_IN},
    {"flap", 2, "s", 3600, FLAP},
};

static void set_fault(const struct order_kind *kind, const double amounts[VALUES],
                      switch_faults *faults)
{
    switch (kind->fault) {
    case CUT:
    case JOIN:
        faults->cut = kind->fault == CUT;
        faults->flap_period_ns = 0;
        break;
    case LOSS:
        faults->loss = amounts[0] / 100;
        break;
    case DUPLICATE:
        faults->duplicate = amounts[0] / 100;
        break;
    case REORDER:
        faults->reorder = amounts[0] / 100;
        break;
    case JITTER:
        faults->jitter_ns = (uint64_t)(amounts[0] * 1e9);
        break;
    case RATE:
        faults->out_bits_per_s = faults->in_bits_per_s = amounts[0];
        break;
    case RATE_OUT:
        faults->out_bits_per_s = amounts[0];
        break;
    case RATE_IN:
        faults->in_bits_per_s = amounts[0];
        break;
    case FLAP:
        faults->flap_period_ns = (uint64_t)(amounts[0] * 1e9);
        faults->flap_down_ns = (uint64_t)(amounts[1] * 1e9);
        break;
    }
}

void orders_obey(network_switch *hub, const char *order, char answer[ORDERS_BYTES])
{
    char verb[WORD_BYTES] = "", host[WORD_BYTES] = "", values[VALUES][WORD_BYTES] = {"", ""};
    char why[CB_WHY_BYTES], more[2] = "";
    int words = sscanf(order, "%31s %31s %31s %31s %1s", verb, host, values[0], values[1], more);
    const struct order_kind *kind = NULL;
    unsigned first = 0, end = hub->settings.ports;
    double amounts[VALUES] = {0, 0};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].verb, verb) == 0)
            kind = &kinds[i];
    if (kind == NULL || words != 2 + (int)kind->values) {
        snprintf(answer, ORDERS_BYTES, "use one of: %s", known_orders);
        return;
    }
    if (strcmp(host, "all") != 0) {
        if (!host_number(host, hub->settings.ports, &first)) {
            snprintf(answer, ORDERS_BYTES, "there is no host '%s'; use host01 and so on, or all",
                     host);
            return;
        }
        end = first + 1;
    }
    for (size_t i = 0; i < kind->values; i++)
        if (!cb_parse_real(values[i], 0, kind->maximum, kind->unit, &amounts[i], why)) {
            snprintf(answer, ORDERS_BYTES, "%s '%s': %s", verb, values[i], why);
            return;
        }
    if (kind->fault == FLAP && amounts[1] > amounts[0]) {
        snprintf(answer, ORDERS_BYTES,
                 "flap %s %s %s: it cannot be down for longer than its period", host, values[0],
                 values[1]);
        return;
    }
    for (unsigned port = first; port < end; port++)
        set_fault(kind, amounts, &hub->ports[port].faults);
    snprintf(answer, ORDERS_BYTES, "ok");
}

static int named_socket(const char *path, int flags)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | flags, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (made >= 0 && bind(made, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(made);
        return -1;
    }
    return made;
}

cb_status orders_open(int *out)
{
    *out = named_socket(ORDERS_PATH, SOCK_NONBLOCK);
    if (*out >= 0)
        return CB_OK;
    cb_error("cannot open the testbed's socket " ORDERS_PATH ": %s", strerror(errno));
    return CB_ERROR_SYSTEM;
}

void orders_serve(int control, network_switch *hub)
{
    char order[ORDERS_BYTES], answer[ORDERS_BYTES];
    struct sockaddr_un from;
    socklen_t length = sizeof(from);
    ssize_t bytes =
        recvfrom(control, order, sizeof(order) - 1, 0, (struct sockaddr *)&from, &length);

    if (bytes < 0)
        return;
    order[bytes] = '\0';
    orders_obey(hub, order, answer);
    sendto(control, answer, strlen(answer), 0, (struct sockaddr *)&from, length);
}

cb_status orders_tell(const char *order)
{
    const struct sockaddr_un testbed = {.sun_family = AF_UNIX, .sun_path = ORDERS_PATH};
    const struct timeval timeout = {.tv_sec = TIMEOUT_S};
    char path[64], answer[ORDERS_BYTES];
    cb_status status = CB_ERROR_USAGE;
    ssize_t bytes;
    int own;

    snprintf(path, sizeof(path), HOSTS_FOLDER "/order-%ld", (long)getpid());
    own = named_socket(path, 0);
    if (own < 0 || sendto(own, order, strlen(order), 0, (const struct sockaddr *)&testbed,
                          sizeof(testbed)) != (ssize_t)strlen(order)) {
        cb_error("cannot reach a testbed at " ORDERS_PATH ": %s; give orders in a process that "
                 "the testbed has started",
                 strerror(errno));
        goto close_socket;
    }
    setsockopt(own, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    bytes = recv(own, answer, sizeof(answer) - 1, 0);
    if (bytes < 0) {
        cb_error("the testbed does not answer to '%s' within %d s: %s", order, TIMEOUT_S,
                 strerror(errno));
        status = CB_ERROR_SYSTEM;
        goto close_socket;
    }
    answer[bytes] = '\0';
    if (strcmp(answer, "ok") == 0)
        status = CB_OK;
    else
        cb_error("the testbed does not take the order '%s': %s", order, answer);

close_socket:
    if (own >= 0)
        close(own);
    unlink(path);
    return status;
}
