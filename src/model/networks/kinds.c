/* The table of networks by name. A new kind is a row here and a name in networks.h. */
#include "model/networks/networks.h"

#include <stdio.h>
#include <string.h>

const ccmod_network_kind *const ccmod_network_kinds[] = {
    &ccmod_network_crossbar,
    &ccmod_network_myrinet,
    &ccmod_network_fattree,
    &ccmod_network_dragonfly,
    &ccmod_network_torus,
    &ccmod_network_file,
    NULL,
};

enum { KINDS_BYTES = 1024 };

static ccmod_status open_kind(const ccmod_network_kind *kind, const char *arguments,
                              const char *text, size_t processors, ccmod_network **out,
                              ccmod_error *error)
{
    ccmod_network *made = NULL;
    ccmod_status status;

    CCMOD_TRY(kind->open(arguments, text, processors, &made, error));
    if (processors <= made->nodes) {
        *out = made;
        return CCMOD_OK;
    }
    status = ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                        "network '%s': it has %zu nodes, but the workload %zu processors; use a "
                        "larger network, or a workload of fewer ranks",
                        made->name, made->nodes, processors);
    ccmod_network_free(made);
    return status;
}

ccmod_status ccmod_network_open(const char *text, size_t processors, ccmod_network **out,
                                ccmod_error *error)
{
    size_t length = strcspn(text, ":");
    const char *arguments = text[length] == ':' ? text + length + 1 : NULL;
    char kinds[KINDS_BYTES] = "";
    size_t used = 0;

    for (size_t i = 0; ccmod_network_kinds[i] != NULL; i++) {
        const ccmod_network_kind *kind = ccmod_network_kinds[i];

        if (strlen(kind->name) == length && strncmp(kind->name, text, length) == 0)
            return open_kind(kind, arguments, text, processors, out, error);
    }
    if (strpbrk(text, "/.") != NULL)
        return open_kind(&ccmod_network_file, text, text, processors, out, error);
    for (size_t i = 0; ccmod_network_kinds[i] != NULL && used < KINDS_BYTES; i++)
        used += (size_t)snprintf(kinds + used, KINDS_BYTES - used, "%s%s", i > 0 ? ", " : "",
                                 ccmod_network_kinds[i]->form);
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                      "network '%.100s': no such kind; use one of %s, or the path of a topology "
                      "file with a '/' or '.' in it",
                      text, kinds);
}
