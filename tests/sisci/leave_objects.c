/* For the test of sisci-shm-clean: creates objects of libsisci-shm and prints a line, then exits
 * without cleaning up if it reads "die" from stdin, or in order. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sisci_api.h"

static int make_objects(void)
{
    sci_desc_t sd;
    sci_local_segment_t segment;
    sci_local_interrupt_t interrupt;
    unsigned number;
    sci_error_t error;

    SCIInitialize(0, &error);
    if (error == SCI_ERR_OK)
        SCIOpen(&sd, 0, &error);
    if (error == SCI_ERR_OK)
        SCICreateSegment(sd, &segment, 1, 4096, NULL, NULL, 0, &error);
    if (error == SCI_ERR_OK)
        SCICreateSegment(sd, &segment, 2, 4096, NULL, NULL, SCI_FLAG_BROADCAST, &error);
    if (error == SCI_ERR_OK)
        SCICreateInterrupt(sd, &interrupt, 0, &number, NULL, NULL, 0, &error);
    if (error != SCI_ERR_OK)
        fprintf(stderr, "leave_objects: %s\n", SCIGetErrorString(error));
    return error == SCI_ERR_OK;
}

int main(void)
{
    char order[16] = "";

    if (!make_objects())
        return 1;
    puts("ready");
    fflush(stdout);
    if (fgets(order, sizeof(order), stdin) != NULL && strcmp(order, "die\n") == 0)
        raise(SIGKILL);
    SCITerminate();
    return 0;
}
