/* What all methods do with a row: begin and end what it counts, combine the ranks, write it. */
#ifndef ENGINE_ROWS_H
#define ENGINE_ROWS_H

#include "engine/outcome.h"

/* Begin a row: reset what this rank counts in it. The technology's counters are read here and by
 * row_end, of which the last call before row_gather counts. Local. */
void row_begin(row_base *own, engine_session *session);
void row_end(engine_session *session);

/* Combine what all members of the team have counted. Meters go into the row (NULL except at index
 * 0); other members of *own are valid there. Collective over the team; CB_ERROR_MEMORY, logged, or
 * the control plane's error. */
cb_status row_gather(row_base *own, const measurement_setting *setting, report_row *row);

/* Fill the columns of a method; CB_ERROR_MEMORY, logged. */
typedef cb_status row_fill(void *context, const measurement_setting *setting, report_row *row);

/* At rank 0, after row_gather: add the row to the document, or the reason why none of what is
 * `counted` ("packets") has arrived; note what the verification has found. The row is empty
 * afterwards. */
cb_status row_write(const row_base *own, const measurement_setting *setting, const char *counted,
                    row_fill *fill, void *context, report_row *row);

#endif
