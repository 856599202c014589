/* The members of a group, checked before anything is measured. */
#include "engine/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

static void list_groups(const cb_config *config, char *text, size_t bytes)
{
    cb_config_group group;
    size_t length = 0;

    snprintf(text, bytes, "no group");
    for (size_t i = 0; length < bytes && cb_config_group_at(config, i, &group); i++)
        length +=
            (size_t)snprintf(text + length, bytes - length, "%s%s", i > 0 ? ", " : "", group.name);
}

static cb_status find_group(const cb_config *config, const bench_options *options,
                            cb_config_group *out)
{
    char names[256];

    for (size_t i = 0; cb_config_group_at(config, i, out); i++)
        if (strcmp(out->name, options->group) == 0)
            return CB_OK;
    list_groups(config, names, sizeof(names));
    cb_error("--group %s: %s/network.conf has no group of that name; it has %s", options->group,
             options->config, names);
    return CB_ERROR_USAGE;
}

static cb_status refuse_member(const bench_options *options, const cb_config_group *group,
                               size_t member, const char *cause)
{
    cb_error("--group %s: member %lu is the node of rank %zu, %s; change the group in "
             "%s/network.conf, or name another",
             group->name, (unsigned long)group->ids[member], group->ranks[member], cause,
             options->config);
    return CB_ERROR_USAGE;
}

static cb_status check_members(const bench_definition *definition, const bench_options *options,
                               const cb_config_group *group, size_t ranks)
{
    char cause[128];

    for (size_t i = 0; i < group->count; i++) {
        if (group->ranks[i] == 0) {
            snprintf(cause, sizeof(cause), "which is the %s of this benchmark",
                     definition->roles[0].name);
            return refuse_member(options, group, i, cause);
        }
        if (group->ranks[i] >= ranks) {
            snprintf(cause, sizeof(cause), "and the job has %zu ranks", ranks);
            return refuse_member(options, group, i, cause);
        }
        for (size_t k = 0; k < i; k++)
            if (group->ranks[k] == group->ranks[i])
                return refuse_member(options, group, i, "and a member already");
    }
    return CB_OK;
}

static cb_status check_options(const bench_options *options, const cb_config *config)
{
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
    return CB_OK;
}

static cb_status replace(cb_list *list, size_t count)
{
    cb_list_free(list);
    list->values = cb_allocate(count, sizeof(*list->values), "a list of ranks");
    if (list->values == NULL)
        return CB_ERROR_MEMORY;
    list->count = count;
    return CB_OK;
}

cb_status bench_choose_group(const bench_definition *definition, const cb_config *config,
                             size_t ranks, bench_options *options)
{
    cb_list *counts =
        definition->counted == BENCH_SOURCES ? &options->sources : &options->destinations;
    cb_config_group group;

    if (options->group == NULL)
        return CB_OK;
    CB_TRY(check_options(options, config));
    CB_TRY(find_group(config, options, &group));
    CB_TRY(check_members(definition, options, &group, ranks));
    CB_TRY(replace(&options->receivers, group.count));
    for (size_t i = 0; i < group.count; i++)
        options->receivers.values[i] = group.ranks[i];
    if (counts->count > 0)
        return CB_OK;
    CB_TRY(replace(counts, 1));
    counts->values[0] = group.count;
    return CB_OK;
}
