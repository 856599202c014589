/* What is wrong with a group is known before anything is measured. */
#include "engine/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

/* The group that the options name; where there is none, the message lists those that there are. */
static cb_status find_group(const cb_config *config, const bench_options *options,
                            cb_config_group *out)
{
    char names[256] = "no group";
    size_t length = 0;

    for (size_t i = 0; cb_config_group_at(config, i, out); i++) {
        if (strcmp(out->name, options->group) == 0)
            return CB_OK;
        if (length < sizeof(names))
            length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                       i > 0 ? ", " : "", out->name);
    }
    cb_error("--group %s: %s/network.conf has no group of that name; it has %s", options->group,
             options->config, names);
    return CB_ERROR_USAGE;
}

/* Every member is a rank of the job, once, and none is the one that all others talk to. */
static cb_status check_members(const benchmark *definition, const bench_options *options,
                               const cb_config_group *group, size_t ranks)
{
    for (size_t i = 0; i < group->count; i++) {
        size_t rank = group->ranks[i];
        char cause[128] = "";

        if (rank == 0)
            snprintf(cause, sizeof(cause), "which is the %s of this benchmark",
                     definition->roles[0].name);
        else if (rank >= ranks)
            snprintf(cause, sizeof(cause), "and the job has %zu ranks", ranks);
        for (size_t k = 0; k < i && cause[0] == '\0'; k++)
            if (group->ranks[k] == rank)
                snprintf(cause, sizeof(cause), "and a member already");
        if (cause[0] == '\0')
            continue;
        cb_error("--group %s: member %lu is the node of rank %zu, %s; change the group in "
                 "%s/network.conf, or name another",
                 group->name, (unsigned long)group->ids[i], rank, cause, options->config);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status list_resize(cb_list *list, size_t count)
{
    cb_list_free(list);
    list->values = cb_allocate(count, sizeof(*list->values), "a list of ranks");
    if (list->values == NULL)
        return CB_ERROR_MEMORY;
    list->count = count;
    return CB_OK;
}

cb_status groups_choose(const benchmark *definition, const cb_config *config, size_t ranks,
                        bench_options *options)
{
    cb_list *counts =
        definition->counted == BENCH_SOURCES ? &options->sources : &options->destinations;
    cb_config_group group;

    if (options->group == NULL)
        return CB_OK;
    if (config == NULL) {
        cb_error("--group %s: groups have their names in network.conf; say by --config DIR where "
                 "it is",
                 options->group);
        return CB_ERROR_USAGE;
    }
    if (options->receivers.count > 0) {
        cb_error("--group %s: --receivers names ranks, too; leave one of them out", options->group);
        return CB_ERROR_USAGE;
    }
    CB_TRY(find_group(config, options, &group));
    CB_TRY(check_members(definition, options, &group, ranks));
    CB_TRY(list_resize(&options->receivers, group.count));
    for (size_t i = 0; i < group.count; i++)
        options->receivers.values[i] = group.ranks[i];
    if (counts->count > 0)
        return CB_OK;
    CB_TRY(list_resize(counts, 1));
    counts->values[0] = group.count;
    return CB_OK;
}
