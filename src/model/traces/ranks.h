/* Lists of ranks, and the sections of a trace: which of them a rank is in. Internal to src/model.
 */
#ifndef MODEL_TRACES_RANKS_H
#define MODEL_TRACES_RANKS_H

#include "model/traces/scanner.h"
#include "model/traces/trace.h"

/* "1-15,20": append its ranges to the trace. On failure CCMOD_ERROR_USAGE
 * with a phrase in `why`, or CCMOD_ERROR_MEMORY. */
ccmod_status ccmod_trace_read_ranges(ccmod_trace *trace, trace_scanner *scanner, trace_list *out,
                                     char why[static TRACE_WHY_BYTES]);

/* The tree over the sections, once all are known; false without memory. */
bool ccmod_trace_index_sections(ccmod_trace *trace);

/* The first section from number `from` on that `rank` is in, or section_count. */
size_t ccmod_trace_find_section(const ccmod_trace *trace, size_t from, uint32_t rank);

#endif
