/* Set options that belong to one benchmark, as parsing would. */
#ifndef TESTS_ENGINE_OWN_OPTIONS_H
#define TESTS_ENGINE_OWN_OPTIONS_H

#include <stdlib.h>
#include <string.h>

#include "engine/options.h"

/* Set an option whose value is a text or a choice. */
static inline void give_own(const benchmark *definition, bench_options *options, const char *name,
                            const char *text)
{
    for (size_t i = 0; i < definition->option_count; i++)
        if (strcmp(definition->options[i].name, name) == 0) {
            memcpy(&options->own[definition->options[i].offset], &text, sizeof(text));
            return;
        }
    abort(); /* the option does not exist */
}

#endif
