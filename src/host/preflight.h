/* Preflight: settings of a host that disturb measurements of its network, with remedies. */
#ifndef HOST_PREFLIGHT_H
#define HOST_PREFLIGHT_H

#include "host/host.h"

typedef enum {
    HOST_CHECK_GOVERNOR,
    HOST_CHECK_QUOTA,
    HOST_CHECK_THREADS,
    HOST_CHECK_SPEED,
    HOST_CHECK_DUPLEX,
    HOST_CHECK_MTU,
    HOST_CHECK_LOCALITY,
    HOST_CHECKS
} host_check;

/* Unknown: this host does not tell, or the check does not apply to it. */
typedef enum { HOST_UNKNOWN, HOST_GOOD, HOST_BAD } host_verdict;

/* Names of the verdicts and checks in results. */
extern const char *const host_verdict_names[];
extern const char *const host_check_names[HOST_CHECKS];
extern const char *const host_remedies[HOST_CHECKS];

enum { HOST_LINKS = 8 };

/* A network interface that is up and is not loopback. 0 or "": unknown. */
typedef struct {
    char name[HOST_INTERFACE_BYTES];
    uint64_t speed_Mbps, mtu_bytes;
    char duplex[16];
    int numa_node; /* -1: unknown, or the host has one */
    bool in_use;   /* by the technology */
} host_link;

/* Plain data. */
typedef struct {
    size_t link_count; /* the first HOST_LINKS */
    host_link links[HOST_LINKS];
    host_verdict verdicts[HOST_CHECKS];
    char found[HOST_CHECKS][HOST_TEXT]; /* what is bad, a phrase */
} host_preflight;

/* What the rank that checks knows of the run. */
typedef struct {
    const char *interface; /* of the technology; "": it does not tell */
    size_t ranks_here;     /* of the job on this host */
} host_preflight_of;

void host_check_all(const host *machine, const host_preflight_of *of, host_preflight *out);

/* For tests: all files are read below the folder `root`. */
void host_check_below(const host *machine, const char *root, const host_preflight_of *of,
                      host_preflight *out);

#endif
