/* Single values of a document, in the spelling that all forms share. Internal to src/report. */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include <jansson.h>

/* A number: an integer where it is whole, else a real. NULL when it is not finite (not measured).
 */
json_t *report_value_number(double value);

/* A text; NULL for NULL and "". What is not UTF-8 is replaced, so that no host name can spoil a
 * document. */
json_t *report_value_text(const char *text);

/* A copy of `text` with every byte that belongs to no UTF-8 sequence replaced by U+FFFD. The caller
 * frees it; NULL when there is no memory. */
char *report_clean_utf8(const char *text);

#endif
