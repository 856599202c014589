/* Escape JSON and XML byte by byte, without allocation. */
#include "report/escape.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(unsigned char byte, const char *telling)
{
    return byte >= 0x20 && byte <= 0x7e && strchr(telling, byte) == NULL;
}

void report_escape_json(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (is_plain(byte, "\"\\"))
            fputc(byte, stream);
        else
            fprintf(stream, "\\u%04x", byte);
    }
    fputc('"', stream);
}

void report_escape_xml(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (is_plain(byte, "<>&\"'"))
            fputc(byte, stream);
        else if (byte < 0x20)
            fputc('?', stream);
        else
            fprintf(stream, "&#%u;", byte);
    }
}
