/* A configuration file as libconfuse's tree of sections. */
#ifndef BASE_CONTEXT_TREE_H
#define BASE_CONTEXT_TREE_H

#include <confuse.h>

#include "base/context_internal.h"

/* Parse a text that cb_context_blank has made fit, and that is not changed. CB_ERROR_USAGE, logged
 * under the name `path`, for wrong syntax, an unknown name, and one that is given twice. The caller
 * frees *out by cfg_free. */
cb_status cb_tree_parse(const context_vocabulary *known, cb_file file, const char *path, char *text,
                        size_t bytes, cfg_t **out);

/* How many values or sections of that name there are. */
size_t cb_tree_count(const cfg_t *section, const char *name);

/* One of them; `index` is below their number. */
const cfg_t *cb_tree_section(const cfg_t *section, const char *name, size_t index);

/* A value as text, NULL where there is none; and the line of the first one, 0 where there is none.
 */
const char *cb_tree_text(const cfg_t *section, const char *name, size_t index);
long cb_tree_line(const cfg_t *section, const char *name);

#endif
