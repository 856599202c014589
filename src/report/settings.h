/* The line of the text form that says what a technology was told. Internal to src/report. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "base/parameters.h"

/* Write the values of these parameters (NULL: none) in a document's environment.technology_settings
 * that are alike for all ranks, and where they came from, in lines of at most `columns`; nothing
 * where there are none. */
void report_write_settings(FILE *stream, const json_t *document, const cb_parameter_set *parameters,
                           size_t columns);

#endif
