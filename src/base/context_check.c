/* Whether the Contexts SCI of all nodes of a job go together with each other and with the job. A
 * sender's max_outst_buffers is met by receive buffers of each receiver, so that the limits of a
 * node follow from the others. */
#include "base/context_internal.h"

#include <stdio.h>

context_value cb_context_effective(const cb_config *config, const context_node *node,
                                   cb_parameter_id parameter)
{
    const context_scope *scopes[] = {
        &node->scope,
        node->machine != NULL ? &config->machines[node->machine_index].scope : &config->top,
        &config->top,
    };

    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
        if (scopes[i]->values[parameter].place.line != 0)
            return scopes[i]->values[parameter];
    return (context_value){.value = cb_parameters[parameter].default_value};
}

/* What the limits of one node are made of. */
typedef struct {
    const cb_config *config;
    const context_node *node;
    uint64_t peers, incoming, held; /* others; what they may have outstanding here; see cb_job */
} situation;

static uint64_t value_of(const situation *here, cb_parameter_id parameter)
{
    return cb_context_effective(here->config, here->node, parameter).value;
}

static uint64_t headers_needed(const situation *here, char *why)
{
    snprintf(why, CONTEXT_WHY_BYTES, "peers %llu, each with a header of %d bytes",
             (unsigned long long)here->peers, CB_SCI_HEADER_BYTES);
    return here->peers * CB_SCI_HEADER_BYTES;
}

/* Without an area there is nothing to hold. */
static uint64_t inline_needed(const situation *here, char *why)
{
    snprintf(why, CONTEXT_WHY_BYTES,
             "outstanding from peers %llu, each with a line of %d bytes (0: no such lines)",
             (unsigned long long)here->incoming, CB_SCI_LINE_BYTES);
    return value_of(here, CB_INLINE_AREA_SIZE) > 0 ? here->incoming * CB_SCI_LINE_BYTES : 0;
}

static uint64_t buffers_needed(const situation *here, char *why)
{
    snprintf(why, CONTEXT_WHY_BYTES,
             "peers %llu, outstanding from them %llu (max_outst_buffers), held by the program %llu",
             (unsigned long long)here->peers, (unsigned long long)here->incoming,
             (unsigned long long)here->held);
    return here->incoming + here->held;
}

static uint64_t segment_needed(const situation *here, char *why)
{
    uint64_t headers = value_of(here, CB_HEADER_AREA_SIZE);
    uint64_t lines = value_of(here, CB_INLINE_AREA_SIZE);
    uint64_t buffers = value_of(here, CB_RECV_BUFFER_NO);
    uint64_t bytes = value_of(here, CB_RECV_BUFFER_SIZE);

    snprintf(why, CONTEXT_WHY_BYTES,
             "header_area_size %llu + inline_area_size %llu + recv_buffer_no %llu x "
             "recv_buffer_size %llu lie in it",
             (unsigned long long)headers, (unsigned long long)lines, (unsigned long long)buffers,
             (unsigned long long)bytes);
    return headers + lines + buffers * bytes;
}

/* A parameter that has to be as large as a job or other parameters demand: those that may be given
 * in its place, ended by CB_PARAMETERS, tell the line where the parameter itself is not given. */
typedef struct {
    cb_parameter_id parameter;
    uint64_t (*needed)(const situation *here, char *why);
    cb_parameter_id involved[4];
} limit;

static const limit limits[] = {
    {CB_HEADER_AREA_SIZE, headers_needed, {CB_PARAMETERS}},
    {CB_INLINE_AREA_SIZE, inline_needed, {CB_MAX_OUTST_BUFFERS, CB_PARAMETERS}},
    {CB_RECV_BUFFER_NO, buffers_needed, {CB_MAX_OUTST_BUFFERS, CB_PARAMETERS}},
    {CB_RECV_SEG_SIZE,
     segment_needed,
     {CB_RECV_BUFFER_SIZE, CB_RECV_BUFFER_NO, CB_HEADER_AREA_SIZE, CB_PARAMETERS}},
};

static context_place blame(const situation *here, const limit *rule)
{
    context_place place = cb_context_effective(here->config, here->node, rule->parameter).place;

    for (size_t i = 0; place.line == 0 && rule->involved[i] != CB_PARAMETERS; i++)
        place = cb_context_effective(here->config, here->node, rule->involved[i]).place;
    return place;
}

static cb_status check_limit(const situation *here, const limit *rule)
{
    const char *name = cb_parameters[rule->parameter].name;
    context_value value = cb_context_effective(here->config, here->node, rule->parameter);
    char why[CONTEXT_WHY_BYTES];
    uint64_t needed = rule->needed(here, why);

    if (value.value >= needed)
        return CB_OK;
    return cb_context_fail(here->config, blame(here, rule),
                           "%s = %llu%s is too small for the node '%s': %s; write %s = %llu or "
                           "more in a Context %s",
                           name, (unsigned long long)value.value,
                           value.place.line == 0 ? ", the default," : "", here->node->name, why,
                           name, (unsigned long long)needed,
                           cb_context_name(cb_parameters[rule->parameter].context));
}

cb_status cb_context_check_job(const cb_config *config, const cb_job *job)
{
    uint64_t outstanding = 0;

    for (size_t rank = 0; rank < job->ranks; rank++)
        outstanding +=
            cb_context_effective(config, &config->nodes[rank], CB_MAX_OUTST_BUFFERS).value;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        situation here = {.config = config,
                          .node = &config->nodes[rank],
                          .peers = job->ranks - 1,
                          .held = job->held_buffers};

        here.incoming = outstanding - value_of(&here, CB_MAX_OUTST_BUFFERS);
        for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
            CB_TRY(check_limit(&here, &limits[i]));
    }
    return CB_OK;
}
