/* The rows of the Context RMA. */
#include "transport/rma/parameters.h"

static const cb_parameter rows[] = {
    REMOTE_PARAMETER_ROWS,
};

static void derive(const cb_job *job, void *values)
{
    remote_derive(job, values);
}

const cb_parameter_set rma_parameters = {
    .context = "RMA",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(rma_settings),
    .derive = derive,
};
