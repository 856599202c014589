/* Reading which faults are wanted. */
#include "transport/udp/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

enum { TEXT_BYTES = 128 };

static cb_status refuse(const char *text, const char *part, const char *why)
{
    cb_error("cannot read the faults '%s' of COMBENCH_UDP_FAULTS: '%s' %s; write for example "
             "loss=0.01,double=0.001,reorder=0.02,seed=7",
             text, part, why);
    return CB_ERROR_USAGE;
}

static bool read_part(char *part, udp_faults *out, uint64_t *seed, char *why)
{
    const struct {
        const char *name;
        double *value;
    } shares[] = {{"loss", &out->loss}, {"double", &out->doubling}, {"reorder", &out->reordering}};
    char *value = strchr(part, '=');

    snprintf(why, CB_WHY_BYTES, "is no fault");
    if (value == NULL)
        return false;
    *value++ = '\0';
    if (strcmp(part, "seed") == 0)
        return cb_parse_count(value, 0, UINT32_MAX, seed, why);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        if (strcmp(part, shares[i].name) == 0)
            return cb_parse_real(value, 0, 1, NULL, shares[i].value, why);
    return false;
}

cb_status udp_faults_read(const char *text, int rank, udp_faults *out)
{
    char copy[TEXT_BYTES], why[CB_WHY_BYTES], *rest = copy;
    uint64_t seed = 1;

    *out = (udp_faults){0};
    if (text == NULL || text[0] == '\0')
        return CB_OK;
    if (strlen(text) >= sizeof(copy))
        return refuse(text, text, "is too long");
    memcpy(copy, text, strlen(text) + 1);
    for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
        if (!read_part(part, out, &seed, why))
            return refuse(text, part, why);
    if (out->loss + out->doubling + out->reordering > 1)
        return refuse(text, text, "adds up to more than 1");
    out->random = cb_random_seed(cb_mix64(seed) + (uint64_t)rank);
    return CB_OK;
}
