/* Texts from outside within other languages. What has a meaning there is written as a reference to
 * the character; so are bytes above 0x7e, each as a character of its own, so that the result is
 * valid whatever the text was. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* Between quotes, which are written too. */
void report_escape_json(FILE *stream, const char *text);

/* Text or, between quotes that the caller writes, an attribute. Characters that XML forbids become
 * a question mark. */
void report_escape_xml(FILE *stream, const char *text);

#endif
