/* The loads of an open loop as options give them. Pure. */
#ifndef FARM_LOAD_H
#define FARM_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A point of a load curve: a rate, or a share of what the closed loop reached. */
typedef struct {
    double rate_hz; /* 0: the share counts */
    double share;   /* 0.5: half of the closed loop's frequency */
} farm_load_point;

enum { FARM_LOAD_POINTS = 64 };

/* What an open loop at one rate has at least, and how much of --max-time it takes. */
enum { FARM_OPEN_EVENTS = 20, FARM_OPEN_SHARE_PCT = 90 };

/* "10kHz,20kHz,50%": rates with units, and shares in per cent. CB_ERROR_USAGE, logged, for what is
 * no such list, or repeats an element. */
cb_status farm_load_parse(const char *text, farm_load_point points[FARM_LOAD_POINTS],
                          size_t *count);

/* 0.99 for "p99"; 0 for what is no quantile. */
double farm_quantile(const char *name);

#endif
