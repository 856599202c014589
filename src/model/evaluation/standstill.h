/* Nothing can happen any more and not all processors are done: who waits for whom. From a blocked
 * processor on the text follows those that are waited for, until one comes again (a ring, the usual
 * deadlock), or one that waits for no rank in particular. Internal to src/model. */
#ifndef MODEL_EVALUATION_STANDSTILL_H
#define MODEL_EVALUATION_STANDSTILL_H

#include "model/evaluation/engine.h"

/* Always an error. */
ccmod_status ccmod_standstill_explain(ccmod_engine *engine);

#endif
