/* Executes the records of processors, one after the other until one blocks. When all are blocked
 * and nothing can happen any more, the error says which waits for which. Internal to src/model. */
#ifndef MODEL_EVALUATION_RECORDS_H
#define MODEL_EVALUATION_RECORDS_H

#include "model/evaluation/engine.h"

ccmod_status ccmod_records_take(ccmod_engine *engine, uint32_t processor);

/* Always an error. */
ccmod_status ccmod_standstill_explain(ccmod_engine *engine);

#endif
