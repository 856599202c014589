/* Numbers with units as users write them: 4KiB, 1MB, 1.5s, 100kHz; and lists of them. Parsers are
 * pure: they log nothing, allocate only lists, and return the reason of a failure in `why`. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of whole numbers. The caller owns it and frees it with cb_list_free. */
typedef struct {
    uint64_t *values;
    size_t count;
} cb_list;

enum { CB_LIST_MAXIMUM = 65536, CB_WHY_BYTES = 160 };

/* Every parser parses the whole of `text`. It returns false and writes the reason (a phrase of at
 * most CB_WHY_BYTES, without the option's name) to `why` if `text` does not parse or is outside
 * [minimum, maximum]. */

/* A whole number, or one with a unit: B, kB MB GB (powers of 1000), KiB MiB GiB (of 1024). */
bool cb_parse_size(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *bytes,
                   char *why);

/* A whole number without unit. */
bool cb_parse_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *count,
                    char *why);

/* A decimal number without sign. If `unit` is not NULL, a unit may follow: with "s" or "us" s, ms,
 * us and ns, with "Hz" also kHz and MHz, with "bit/s" bit, kbit, Mbit, Gbit (or mbit and gbit as in
 * tc), with "%" only that. The result is in `unit`, and so is a number without a unit. */
bool cb_parse_real(const char *text, double minimum, double maximum, const char *unit,
                   double *value, char *why);

/* Comma-separated sizes with units, or counts with ranges (3,5,7-9). Empty elements, repetitions
 * and more than CB_LIST_MAXIMUM values are errors; the order is kept. On success the caller frees
 * the list. */
bool cb_parse_size_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                        char *why);

/* Whole numbers in `unit`, each of which may have a unit as in cb_parse_real; NULL: none may. */
bool cb_parse_count_list(const char *text, uint64_t minimum, uint64_t maximum, const char *unit,
                         cb_list *list, char *why);

void cb_list_free(cb_list *list);

/* "0", "64", "4KiB", "1MiB", "1000001": the shortest exact form. `text` must hold 24 bytes. */
void cb_format_size(uint64_t bytes, char *text);

#endif
