/* Escape external text for JSON and XML.
 *
 * Bytes with a meaning in the language, and bytes above 0x7e, are written as character references,
 * so that the output is valid for any text. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* Writes the quotes too. */
void report_escape_json(FILE *stream, const char *text);

/* Text, or an attribute between quotes that the caller writes. Characters that XML forbids become
 * question marks. */
void report_escape_xml(FILE *stream, const char *text);

#endif
