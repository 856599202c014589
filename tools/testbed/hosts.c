/* Namespaces and TAP interfaces, made by system calls, so that no tool is needed. Every host has
 * the addresses of all others from the start: the switch need not learn, and no lost ARP request
 * delays a first message. */
#include "tools/testbed/testbed.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

#define TCP_ALGORITHM "/proc/sys/net/ipv4/tcp_congestion_control"
#define TCP_ECN "/proc/sys/net/ipv4/tcp_ecn"
#define TCP_RTO_MIN "/proc/sys/net/ipv4/tcp_rto_min_us"

enum {
    PATH_BYTES = 128,
    NUMBER_BYTES = 32,
    FIRST_NETWORK = 10,
    SECOND_NETWORK = 77,
    CARD_FRAMES = 10000
};

static const char card_name[] = "eth0";

/* The two namespaces of a host, and the files by which it is entered: HOSTS_FOLDER/net-host07. */
static const struct {
    const char *prefix;
    const char *own;
    int type;
} namespaces[] = {
    {"net", "/proc/self/ns/net", CLONE_NEWNET},
    {"uts", "/proc/self/ns/uts", CLONE_NEWUTS},
};

enum { NAMESPACES = sizeof(namespaces) / sizeof(namespaces[0]) };

void host_name(unsigned number, char name[HOST_NAME_BYTES])
{
    snprintf(name, HOST_NAME_BYTES, "host%02u", number + 1);
}

static struct in_addr internet_address(unsigned number)
{
    uint32_t address = (uint32_t)FIRST_NETWORK << 24 | (uint32_t)SECOND_NETWORK << 16;

    return (struct in_addr){.s_addr = htonl(address | (number + 1))};
}

void host_address(unsigned number, char address[HOST_ADDRESS_BYTES])
{
    struct in_addr binary = internet_address(number);

    inet_ntop(AF_INET, &binary, address, HOST_ADDRESS_BYTES);
}

bool host_number(const char *name, unsigned count, unsigned *number)
{
    char known[HOST_NAME_BYTES];

    for (unsigned i = 0; i < count; i++) {
        host_name(i, known);
        if (strcmp(name, known) == 0) {
            *number = i;
            return true;
        }
    }
    return false;
}

static cb_status system_failed(const char *what, const char *remedy)
{
    cb_error("%s: %s; %s", what, strerror(errno), remedy);
    return CB_ERROR_SYSTEM;
}

static void set_address(struct sockaddr *out, struct in_addr address)
{
    struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr = address};

    memcpy(out, &internet, sizeof(internet));
}

/* An ifreq for an interface, otherwise zero. */
static struct ifreq about(const char *interface)
{
    struct ifreq request;

    memset(&request, 0, sizeof(request));
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
    return request;
}

static bool raise_interface(int control, const char *interface)
{
    struct ifreq request = about(interface);

    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ioctl(control, SIOCSIFFLAGS, &request) == 0;
}

/* Addresses, MTU, and room for frames that the switch has not taken: enough that the host's own
 * queue never drops one. */
static bool set_up_card(int control, unsigned number, unsigned mtu)
{
    struct ifreq hardware = about(card_name), internet = about(card_name), mask = about(card_name);
    struct ifreq packets = about(card_name), queue = about(card_name);
    const uint32_t network_mask = 0xffff0000u;

    hardware.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    switch_address(number, (unsigned char *)hardware.ifr_hwaddr.sa_data);
    set_address(&internet.ifr_addr, internet_address(number));
    set_address(&mask.ifr_netmask, (struct in_addr){.s_addr = htonl(network_mask)});
    packets.ifr_mtu = (int)mtu;
    queue.ifr_qlen = CARD_FRAMES;
    return ioctl(control, SIOCSIFHWADDR, &hardware) == 0 &&
           ioctl(control, SIOCSIFMTU, &packets) == 0 &&
           ioctl(control, SIOCSIFTXQLEN, &queue) == 0 &&
           ioctl(control, SIOCSIFADDR, &internet) == 0 &&
           ioctl(control, SIOCSIFNETMASK, &mask) == 0 && raise_interface(control, card_name) &&
           raise_interface(control, "lo");
}

static bool add_neighbours(int control, unsigned self, unsigned count)
{
    for (unsigned other = 0; other < count; other++) {
        struct arpreq entry = {.arp_flags = ATF_PERM | ATF_COM, .arp_ha.sa_family = ARPHRD_ETHER};

        if (other == self)
            continue;
        set_address(&entry.arp_pa, internet_address(other));
        switch_address(other, (unsigned char *)entry.arp_ha.sa_data);
        snprintf(entry.arp_dev, sizeof(entry.arp_dev), "%s", card_name);
        if (ioctl(control, SIOCSARP, &entry) != 0)
            return false;
    }
    return true;
}

/* Write a setting of the host's network; false, with errno, if the kernel lacks or rejects it. */
static bool set_kernel(const char *name, const char *value)
{
    int file = open(name, O_WRONLY | O_CLOEXEC);
    bool done;

    if (file < 0)
        return false;
    done = write(file, value, strlen(value)) >= 0;
    close(file);
    return done;
}

static void set_if_possible(const char *name, const char *value)
{
    if (!set_kernel(name, value) && errno != ENOENT)
        cb_note("%s stays as it is: %s", name, strerror(errno));
}

/* IPv6 would send traffic of its own. A connection to an unreachable host with data in transit ends
 * after 8 retries, about 100 s, the minimum of RFC 1122; the default of 15 min would look like a
 * hang to a launcher. The kernel would begin a connection with the slow-start threshold that the
 * last one to the same host had after its losses. */
static cb_status tune_network(const testbed_settings *settings)
{
    char text[NUMBER_BYTES];

    set_if_possible("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    set_if_possible("/proc/sys/net/ipv4/tcp_retries2", "8");
    set_if_possible("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
    if (!set_kernel(TCP_ALGORITHM, settings->congestion_control)) {
        cb_error("the kernel does not accept --congestion-control %s: %s; use one of "
                 "/proc/sys/net/ipv4/tcp_allowed_congestion_control, or add it there",
                 settings->congestion_control, strerror(errno));
        return CB_ERROR_USAGE;
    }
    if (settings->mark_bytes > 0 && !set_kernel(TCP_ECN, "1")) {
        cb_error("the hosts' TCP cannot be made capable of ECN by " TCP_ECN ": %s; leave out "
                 "--mark",
                 strerror(errno));
        return CB_ERROR_UNSUPPORTED;
    }
    snprintf(text, sizeof(text), "%.0f", settings->rto_min_s * 1e6);
    if (settings->rto_min_s > 0 && !set_kernel(TCP_RTO_MIN, text)) {
        cb_error("the kernel does not accept --rto-min at " TCP_RTO_MIN ": %s; it needs Linux 6.11 "
                 "or newer",
                 strerror(errno));
        return CB_ERROR_UNSUPPORTED;
    }
    return CB_OK;
}

static cb_status create_card(unsigned number, const testbed_settings *settings, int *card)
{
    struct ifreq request = about(card_name);
    int control;
    bool done;

    *card = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*card < 0) {
        cb_error("cannot open /dev/net/tun for the hosts' network cards: %s; the testbed needs a "
                 "kernel with TUN (modprobe tun), and leave to use it",
                 strerror(errno));
        return CB_ERROR_UNSUPPORTED;
    }
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(*card, TUNSETIFF, &request) != 0)
        return system_failed("cannot make a network card (TUNSETIFF)", "the testbed runs as root");
    control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (control < 0)
        return system_failed("cannot open a socket", "see the limit of open files, ulimit -n");
    done = set_up_card(control, number, (unsigned)settings->mtu) &&
           add_neighbours(control, number, (unsigned)settings->hosts);
    close(control);
    if (!done)
        return system_failed("cannot set up a host's network card", "see the cause");
    return tune_network(settings);
}

static void entrance(const char *prefix, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, HOSTS_FOLDER "/%s-%s", prefix, name);
}

static cb_status create_host(unsigned number, const testbed_settings *settings, int *card)
{
    char name[HOST_NAME_BYTES];

    host_name(number, name);
    if (unshare(CLONE_NEWNET | CLONE_NEWUTS) != 0 || sethostname(name, strlen(name)) != 0)
        return system_failed("cannot make a host's namespaces",
                             "see the limits in /proc/sys/user/max_net_namespaces");
    CB_TRY(create_card(number, settings, card));
    /* Bind-mount the namespaces of this process to files in HOSTS_FOLDER, which keep them. */
    for (size_t i = 0; i < NAMESPACES; i++) {
        char path[PATH_BYTES];
        int file;

        entrance(namespaces[i].prefix, name, path);
        file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 || mount(namespaces[i].own, path, NULL, MS_BIND, NULL) != 0)
            return system_failed("cannot keep a host's namespace in " HOSTS_FOLDER,
                                 "see the cause");
        close(file);
    }
    return CB_OK;
}

cb_status hosts_create(const testbed_settings *settings, int *cards)
{
    int before[NAMESPACES];
    cb_status status = CB_OK;

    for (size_t i = 0; i < NAMESPACES; i++)
        before[i] = open(namespaces[i].own, O_RDONLY | O_CLOEXEC);
    for (unsigned number = 0; number < settings->hosts && status == CB_OK; number++)
        status = create_host(number, settings, &cards[number]);
    for (size_t i = 0; i < NAMESPACES; i++) {
        if (status == CB_OK && setns(before[i], namespaces[i].type) != 0)
            status = system_failed("cannot leave the last host again", "see the cause");
        close(before[i]);
    }
    return status;
}

cb_status host_enter(const char *name)
{
    for (size_t i = 0; i < NAMESPACES; i++) {
        char path[PATH_BYTES];
        int file;

        entrance(namespaces[i].prefix, name, path);
        file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            cb_error("cannot enter the host '%.64s' by %s: %s; use a name from the testbed's "
                     "/etc/hosts, and run this in the testbed",
                     name, path, strerror(errno));
            return CB_ERROR_USAGE;
        }
        if (setns(file, namespaces[i].type) != 0)
            return system_failed("cannot enter a host's namespace", "only root of the testbed can");
        close(file);
    }
    return CB_OK;
}
