/* Settings: derive them from a job, search them by name, free them. */
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

/* Alike in every process, since each may talk to any other. */
static cb_status derive_values(const cb_parameter_set *set, const cb_job *job,
                               const cb_override *given, void *values)
{
    cb_shortage found;

    for (size_t rank = 0; rank < job->ranks; rank++) {
        void *node = (char *)values + rank * set->bytes;

        if (rank > 0) {
            memcpy(node, values, set->bytes);
            continue;
        }
        cb_parameter_defaults(set, node);
        if (set->derive != NULL)
            set->derive(job, node);
        for (size_t i = 0; given != NULL && i < set->count; i++)
            if (given[i].given)
                cb_parameter_set_value(&set->rows[i], given[i].value, node);
    }
    if (given == NULL || cb_limits_hold(set, job, values, &found))
        return CB_OK;
    cb_error("--parameter: %s = %llu is too small for rank %zu: %s; add %s=%llu or more",
             set->rows[found.limit->parameter].name, (unsigned long long)found.value, found.rank,
             found.why, set->rows[found.limit->parameter].name, (unsigned long long)found.needed);
    return CB_ERROR_USAGE;
}

cb_status cb_settings_derive(const cb_parameter_set *set, const cb_job *job,
                             const cb_override *given, cb_settings *out)
{
    cb_status status = CB_ERROR_MEMORY;

    *out = (cb_settings){.parameters = set, .node_count = job->ranks};
    out->nodes = cb_allocate(job->ranks, sizeof(*out->nodes), "the settings of all nodes");
    out->values = cb_allocate(job->ranks, set != NULL ? set->bytes : 0, "the parameters of all");
    if (out->nodes != NULL && out->values != NULL)
        status = set != NULL ? derive_values(set, job, given, out->values) : CB_OK;
    if (status != CB_OK) {
        out->node_count = 0;
        cb_settings_free(out);
        return status;
    }
    for (size_t rank = 0; rank < job->ranks; rank++)
        out->nodes[rank].id = (uint32_t)rank;
    return CB_OK;
}

void cb_settings_free(cb_settings *settings)
{
    for (size_t i = 0; i < settings->node_count; i++)
        free(settings->nodes[i].name);
    for (size_t i = 0; i < settings->group_count; i++) {
        free(settings->groups[i].name);
        free(settings->groups[i].members);
    }
    free(settings->values);
    free(settings->nodes);
    free(settings->groups);
    *settings = (cb_settings){0};
}

const cb_group_settings *cb_settings_group(const cb_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->group_count; i++)
        if (strcmp(settings->groups[i].name, name) == 0)
            return &settings->groups[i];
    return NULL;
}
