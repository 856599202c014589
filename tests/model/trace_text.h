/* Functions for traces as text in tests of the model. */
#ifndef TESTS_MODEL_TRACE_TEXT_H
#define TESTS_MODEL_TRACE_TEXT_H

#include <ccmod/ccmod.h>

enum { PLAYED_BYTES = 4096 };

/* Parse, which must succeed. */
ccmod_trace *text_trace(const char *text);

/* All records of a rank as "s 1 1024; r any 8; c 5; end", measured times after as "t=5". */
void text_play(const char *text, uint32_t rank, char played[PLAYED_BYTES]);

/* Evaluate on the crossbar. After CCMOD_OK the caller frees *out. */
ccmod_status text_evaluate(const char *text, const ccmod_calibration *calibration,
                           const ccmod_parameters *parameters, ccmod_result **out,
                           ccmod_error *error);

#endif
