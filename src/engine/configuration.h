/* Settings of the technology, from files (--config) or derived from the job; and --group.
 *
 * Rank 0 reads the files and broadcasts them, so they need not exist on other hosts and all ranks
 * parse the same text. */
#ifndef ENGINE_CONFIGURATION_H
#define ENGINE_CONFIGURATION_H

#include "base/context.h"
#include "control/control.h"
#include "engine/options.h"
#include "engine/program.h"
#include "report/report.h"

/* Read the files of a directory at rank 0 and parse them in all ranks. Collective; an error is
 * logged and returned in all ranks. The caller frees *out with cb_config_free. */
cb_status configuration_read(control *plane, const char *directory, cb_config **out);

/* Make the settings of the program's technology for a job whose largest message is `largest_bytes`:
 * from the files, or derived from the job if `config` is NULL. --parameter takes precedence. Local.
 * CB_ERROR_USAGE or CB_ERROR_MEMORY, logged. The caller frees *out with cb_settings_free. */
cb_status configuration_make_settings(const engine_program *program, const cb_config *config,
                                      size_t ranks, size_t largest_bytes, cb_settings *out);

/* Write the settings of the technology in use into the document: values that are equal in all ranks
 * once, others per rank. */
void configuration_put(report_document *document, const cb_settings *settings);

/* Replace --receivers by the members of --group, if given. Unless the options have numbers, the
 * size of the group also becomes --destinations or --sources. `config` is NULL without --config.
 * Local, with the same result in all ranks. CB_ERROR_USAGE, logged, if the group does not exist or
 * a member cannot take part. */
cb_status configuration_choose_group(const benchmark *definition, const cb_config *config,
                                     size_t ranks, bench_options *options);

#endif
