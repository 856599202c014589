/* Numbers with units as users write them: 4KiB, 1MB, 1.5s, 100kHz; and lists of them. Parsers are
 * pure: they log nothing, allocate only lists, and say what was wrong through `why`. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of whole numbers. Owned by whoever holds it; freed by cb_list_free. */
typedef struct {
    uint64_t *values;
    size_t count;
} cb_list;

enum { CB_LIST_MAXIMUM = 65536, CB_WHY_BYTES = 160 };

/* Every parser takes the whole of `text`; false, with the reason in `why` (CB_WHY_BYTES, a phrase
 * without the option's name), when it does not parse or lies outside [minimum, maximum]. */

/* A whole number, or one with a unit: B, kB MB GB (powers of 1000), KiB MiB GiB (of 1024). */
bool cb_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *bytes,
                   char *why);

/* A whole number without unit. */
bool cb_parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *count,
                    char *why);

/* A decimal number; where `unit` is not NULL it may follow: "s" or "us" (both with s, ms, us, ns),
 * "Hz" (with kHz, MHz), "bit/s" (bit, kbit, Mbit, Gbit, or mbit and gbit as tc writes them), "%".
 * No sign. The value comes in `unit`, which a number without a unit is taken to have. */
bool cb_parse_real(const char *text, double minimum, double maximum, const char *unit,
                   double *value, char *why);

/* Comma-separated; sizes with units, or counts with ranges (3,5,7-9). No empty element, at most
 * CB_LIST_MAXIMUM values; the order is kept and repetitions are an error. On success the caller
 * owns list->values. */
bool cb_parse_size_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                        char *why);
bool cb_parse_count_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                         char *why);

/* As cb_parse_count_list, of whole numbers in `unit`, which may have a unit as in cb_parse_real. */
bool cb_parse_unit_list(const char *text, uint64_t minimum, uint64_t maximum, const char *unit,
                        cb_list *list, char *why);

void cb_list_free(cb_list *list);

/* "0", "64", "4KiB", "1MiB", "1000001": the shortest exact form; `text` holds at least 24 bytes. */
void cb_format_size(uint64_t bytes, char *text);

#endif
