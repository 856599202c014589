/* The settings of a run: files that rank 0 reads for all, so that they need not be on other hosts
 * and all ranks make the same of them; or, without files, what the job suggests. */
#ifndef ENGINE_CONFIGURATION_H
#define ENGINE_CONFIGURATION_H

#include "base/context.h"
#include "control/control.h"
#include "engine/program.h"
#include "report/report.h"

/* Read the files of a directory at rank 0, and parse them in all ranks. Collective; all fail alike.
 * The caller frees *out. */
cb_status bench_read_config(control *plane, const char *directory, cb_config **out);

/* The settings of a job whose largest message is known, for the program's technology: from the
 * files where `config` is not NULL, else derived; what --parameter gives takes precedence. */
cb_status bench_make_settings(const engine_program *program, const cb_config *config, size_t ranks,
                              size_t largest_bytes, cb_settings *out);

/* Write the settings of the technology in use into the document: those that are alike for all ranks
 * once, the others for each. */
void bench_put_settings(report_document *document, const cb_settings *settings);

#endif
