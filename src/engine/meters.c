/* The table of meters. It has no entries yet. */
#include "engine/meters.h"

#include <stddef.h>

/* How the ranks' totals are combined. */
typedef enum { METERS_SUM, METERS_MOST } meter_combination;

typedef struct {
    report_column column;
    meter_combination combination;
    uint64_t (*sample)(void); /* of this process; its increase counts */
} meter;

/* At most METERS_MAXIMUM entries; the last has no sample function. */
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
    uint64_t sums[METERS_MAXIMUM] = {0};
    double most[METERS_MAXIMUM] = {0};
    size_t count = 0;

    for (; table[count].sample != NULL; count++) {
        sums[count] = own->total[count];
        most[count] = (double)own->total[count];
    }
    meters_reset(own);
    if (count == 0)
        return CB_OK;
    CB_TRY(control_sum(team, sums, count));
    CB_TRY(control_maximum(team, most, count));
    for (size_t i = 0; row != NULL && i < count; i++)
        report_set_number(row, table[i].column,
                          table[i].combination == METERS_SUM ? (double)sums[i] : most[i]);
    return CB_OK;
}
