/* The settings of a run: files that rank 0 reads for all, so that they need not be on other hosts
 * and all ranks make the same of them; or, without files, what the job suggests. And the group of
 * the configuration whose members --group names. */
#ifndef ENGINE_CONFIGURATION_H
#define ENGINE_CONFIGURATION_H

#include "base/context.h"
#include "control/control.h"
#include "engine/options.h"
#include "engine/program.h"
#include "report/report.h"

/* Read the files of a directory at rank 0, and parse them in all ranks. Collective; all fail alike.
 * The caller frees *out. */
cb_status configuration_read(control *plane, const char *directory, cb_config **out);

/* The settings of a job whose largest message is known, for the program's technology: from the
 * files where `config` is not NULL, else derived; what --parameter gives takes precedence. */
cb_status configuration_make_settings(const engine_program *program, const cb_config *config,
                                      size_t ranks, size_t largest_bytes, cb_settings *out);

/* Write the settings of the technology in use into the document: those that are alike for all ranks
 * once, the others for each. */
void configuration_put(report_document *document, const cb_settings *settings);

/* Put the members of --group, where it is given, in the place of --receivers and, unless numbers
 * are asked for, their number in that of --destinations or --sources. `config` NULL: there are no
 * files. CB_ERROR_USAGE, logged, where there is no such group, or a member that cannot take part.
 * Local, alike in all ranks. */
cb_status configuration_choose_group(const benchmark *definition, const cb_config *config,
                                     size_t ranks, bench_options *options);

#endif
