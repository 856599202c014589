/* Settings as a whole: found by name, and freed. */
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

void cb_settings_free(cb_settings *settings)
{
    for (size_t i = 0; i < settings->node_count; i++)
        free(settings->nodes[i].name);
    for (size_t i = 0; i < settings->group_count; i++) {
        free(settings->groups[i].name);
        free(settings->groups[i].members);
    }
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
