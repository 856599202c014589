/* What the environment says: job, node, and the faults of the lossy mode. */
#include "sisci/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sisci/constants.h"

bool sisci_is_node(unsigned long node)
{
    return node > 0 && node <= SISCI_NODE_MAXIMUM && node % SISCI_NODE_MULTIPLE == 0 &&
           node != SISCI_BROADCAST_NODE;
}

/* Nobody else could say what is wrong with the environment: the interface gives numbers alone. */
static void complain(const char *variable, const char *reason)
{
    fprintf(stderr, "sisci-shm: cannot start with this %s: %s\n", variable, reason);
}

static sci_error_t read_job(void)
{
    const char *job = getenv("SISCI_SHM_JOB");

    if (job == NULL || job[0] == '\0')
        job = "default";
    if (!sisci_job_is_valid(job)) {
        complain("SISCI_SHM_JOB", "use 1 to 64 letters, digits, '_' and '-'");
        return SCI_ERR_ILLEGAL_PARAMETER;
    }
    snprintf(sisci_shm.job, sizeof(sisci_shm.job), "%s", job);
    return SCI_ERR_OK;
}

static sci_error_t read_node(void)
{
    const char *text = getenv("SISCI_SHM_NODE");
    char *end;
    unsigned long node;

    if (text == NULL || text[0] == '\0')
        text = "4";
    errno = 0;
    node = strtoul(text, &end, 10);
    if (*end != '\0' || errno != 0 || !sisci_is_node(node)) {
        complain("SISCI_SHM_NODE", "use a multiple of 4 from 4 to 65532, and not 252, which means "
                                   "all nodes");
        return SCI_ERR_ILLEGAL_NODEID;
    }
    sisci_shm.node = (unsigned)node;
    return SCI_ERR_OK;
}

static sci_error_t read_faults(void)
{
    char reason[256];

    if (sisci_faults_parse(getenv("SISCI_SHM_FAULTS"), &sisci_shm.faults, reason, sizeof(reason)))
        return SCI_ERR_OK;
    complain("SISCI_SHM_FAULTS", reason);
    return SCI_ERR_ILLEGAL_PARAMETER;
}

sci_error_t sisci_read_environment(void)
{
    sci_error_t error = read_job();

    if (error == SCI_ERR_OK)
        error = read_node();
    return error == SCI_ERR_OK ? read_faults() : error;
}
