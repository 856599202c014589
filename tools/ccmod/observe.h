/* The signals of an evaluation as text, for ccmod signals and ccmod run. */
#ifndef TOOLS_CCMOD_OBSERVE_H
#define TOOLS_CCMOD_OBSERVE_H

#include "tools/ccmod/inputs.h"

/* Evaluate, and write the signals of the inputs' mask to the target as they occur. If the
 * evaluation fails, the signals so far remain, which are needed for debugging. */
cb_status tool_evaluate_signalled(const tool_inputs *inputs, const tool_evaluation *evaluation,
                                  const tool_target *target, ccmod_result **out);

#endif
