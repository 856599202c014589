/* The table of meters. */
#include "engine/meters.h"

#include <stddef.h>

#include "base/status.h"

/* How the ranks' totals become one. */
typedef enum { METERS_SUM, METERS_MOST } meter_combination;

typedef struct {
    double *(*column)(report_row *row);
    meter_combination combination;
    uint64_t (*sample)(void); /* so far, of this process; only what it grows by counts */
} meter;

/* At most METERS_MAXIMUM, ended by one without a sample. */
static const meter table[] = {{.sample = NULL}};

void meters_reset(meters *own)
{
    *own = (meters){.total = {0}};
}

void meters_begin(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->begun[i] = table[i].sample();
}

void meters_end(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->total[i] += table[i].sample() - own->begun[i];
}

cb_status meters_report(meters *own, control_team *team, report_row *row)
{
    (void)own;
    (void)team;
    (void)row;
    return CB_OK;
}
