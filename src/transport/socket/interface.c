/* Choice of a network interface: by name, or the one that reaches the other ranks. */
#include "transport/socket/socket.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"

enum { NAMES_BYTES = 256 };

/* Requirements on an interface. */
typedef struct {
    const char *name;              /* or NULL */
    const struct in_addr *address; /* or NULL */
    bool any_remote;               /* not loopback */
    bool loopback;
} requirements;

static bool is_usable(const struct ifaddrs *entry)
{
    return entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_INET &&
           (entry->ifa_flags & IFF_UP) != 0;
}

static struct in_addr address_of(const struct ifaddrs *entry)
{
    struct sockaddr_in address;

    memcpy(&address, entry->ifa_addr, sizeof(address));
    return address.sin_addr;
}

static bool meets(const struct ifaddrs *entry, const requirements *needed)
{
    const bool loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;

    if (!is_usable(entry) || (needed->name != NULL && strcmp(needed->name, entry->ifa_name) != 0) ||
        (needed->any_remote && loopback) || (needed->loopback && !loopback))
        return false;
    return needed->address == NULL || needed->address->s_addr == address_of(entry).s_addr;
}

/* The number of suitable interfaces, and the first of them. An interface has an entry for each of
 * its addresses. */
static size_t count_meeting(const struct ifaddrs *list, const requirements *needed,
                            const struct ifaddrs **first)
{
    size_t count = 0;

    for (const struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next)
        if (meets(entry, needed)) {
            if (count == 0)
                *first = entry;
            count += count == 0 || strcmp(entry->ifa_name, (*first)->ifa_name) != 0;
        }
    return count;
}

/* Whether an earlier entry of the list is usable, too, and of the same interface. */
static bool is_repeated(const struct ifaddrs *list, const struct ifaddrs *entry)
{
    for (; list != entry; list = list->ifa_next)
        if (is_usable(list) && strcmp(list->ifa_name, entry->ifa_name) == 0)
            return true;
    return false;
}

static void list_names(const struct ifaddrs *list, char names[NAMES_BYTES])
{
    names[0] = '\0';
    for (const struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next) {
        size_t used = strlen(names);

        if (is_usable(entry) && !is_repeated(list, entry))
            snprintf(names + used, NAMES_BYTES - used, "%s%s", used > 0 ? ", " : "",
                     entry->ifa_name);
    }
}

/* The address of the host's own name, if it resolves to one that other hosts can reach. */
static bool find_host_address(struct in_addr *out)
{
    const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    struct sockaddr_in address;
    char host[256];

    if (gethostname(host, sizeof(host)) != 0 || getaddrinfo(host, NULL, &hints, &found) != 0)
        return false;
    memcpy(&address, found->ai_addr, sizeof(address));
    freeaddrinfo(found);
    *out = address.sin_addr;
    return ntohl(out->s_addr) >> 24 != 127;
}

static const struct ifaddrs *choose(const struct ifaddrs *list, const char *name, bool one_host)
{
    const struct ifaddrs *found = NULL;
    struct in_addr address;

    if (name != NULL)
        return count_meeting(list, &(requirements){.name = name}, &found) > 0 ? found : NULL;
    if (one_host)
        return count_meeting(list, &(requirements){.loopback = true}, &found) > 0 ? found : NULL;
    if (find_host_address(&address) &&
        count_meeting(list, &(requirements){.address = &address}, &found) > 0)
        return found;
    return count_meeting(list, &(requirements){.any_remote = true}, &found) == 1 ? found : NULL;
}

static cb_status report_no_interface(const struct ifaddrs *list, const char *name)
{
    char names[NAMES_BYTES];

    list_names(list, names);
    if (name != NULL)
        cb_error("cannot use the interface '%s': this host has no interface of that name that is "
                 "up and has an IPv4 address; use --interface with one of %s",
                 name, names);
    else
        cb_error("cannot choose an interface: the host's name does not resolve to an interface "
                 "that the other ranks can reach; use --interface with one of %s",
                 names);
    return CB_ERROR_USAGE;
}

static unsigned mtu_of(const char *name)
{
    const unsigned least_of_ipv4 = 576;
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 0;

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0)
        mtu = request.ifr_mtu;
    if (fd >= 0)
        close(fd);
    return mtu > 0 ? (unsigned)mtu : least_of_ipv4;
}

static cb_status list_interfaces(struct ifaddrs **out)
{
    if (getifaddrs(out) == 0)
        return CB_OK;
    cb_error("cannot list the network interfaces of this host: %m; check its limits of memory and "
             "open files");
    return CB_ERROR_SYSTEM;
}

cb_status socket_probe(char *text, size_t bytes)
{
    struct ifaddrs *list = NULL;
    char names[NAMES_BYTES];

    CB_TRY(list_interfaces(&list));
    list_names(list, names);
    freeifaddrs(list);
    if (names[0] == '\0') {
        cb_error("no network interface of this host has an IPv4 address; bring one up");
        return CB_ERROR_UNSUPPORTED;
    }
    snprintf(text, bytes, "interfaces %s", names);
    return CB_OK;
}

cb_status socket_choose_interface(const char *name, bool one_host, socket_interface *out)
{
    struct ifaddrs *list = NULL;
    const struct ifaddrs *found;
    cb_status status = CB_OK;

    CB_TRY(list_interfaces(&list));
    found = choose(list, name, one_host);
    if (found == NULL) {
        status = report_no_interface(list, name);
    } else {
        snprintf(out->name, sizeof(out->name), "%s", found->ifa_name);
        out->address = address_of(found);
        out->mtu_bytes = mtu_of(out->name);
    }
    freeifaddrs(list);
    return status;
}
