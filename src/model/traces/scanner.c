#include "model/traces/scanner.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_BYTES = 64, QUOTED = 40, EXACT_DIGITS = 15 };

bool ccmod_trace_take_word(trace_scanner *scanner, const char *word)
{
    trace_scanner ahead = *scanner;

    while (*word != '\0') {
        if (!trace_take(&ahead, *word++))
            return false;
    }
    if (!trace_at_end_of_word(&ahead))
        return false;
    *scanner = ahead;
    return true;
}

bool ccmod_trace_take_number(trace_scanner *scanner, int64_t largest, int64_t *number)
{
    const char *at = scanner->at;
    int64_t value = 0;

    if (at == scanner->end || !trace_is_digit(*at))
        return false;
    for (; at < scanner->end && trace_is_digit(*at); at++) {
        int64_t digit = *at - '0';

        if (value > (largest - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    scanner->at = at;
    *number = value;
    return true;
}

/* Up to fifteen digits and no exponent: both parts of the quotient are exact, so is the rounding.
 */
static bool take_short_real(trace_scanner *scanner, double *real)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *at = scanner->at;
    int64_t digits = 0;
    int count = 0, behind = 0;
    bool point = false;

    for (; at < scanner->end && (trace_is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        digits = 10 * digits + (*at - '0');
        behind += point;
        if (++count > EXACT_DIGITS)
            return false;
    }
    if (count == 0 || (at < scanner->end && (*at == 'e' || *at == 'E')))
        return false;
    scanner->at = at;
    *real = (double)digits / powers[behind];
    return true;
}

bool ccmod_trace_take_real(trace_scanner *scanner, double *real)
{
    char copy[REAL_BYTES], *stop;
    size_t length = 0;

    if (take_short_real(scanner, real))
        return true;
    if (scanner->at == scanner->end || !(trace_is_digit(*scanner->at) || *scanner->at == '.'))
        return false;
    while (scanner->at + length < scanner->end && length < sizeof(copy) - 1 &&
           strchr("0123456789.eE+-", scanner->at[length]) != NULL) {
        copy[length] = scanner->at[length];
        length++;
    }
    copy[length] = '\0';
    *real = strtod(copy, &stop);
    if (stop == copy || !isfinite(*real))
        return false;
    scanner->at += stop - copy;
    return true;
}

void ccmod_trace_quote(const trace_scanner *scanner, char text[static 48])
{
    trace_scanner ahead = *scanner;
    size_t length = 0;

    for (; length < QUOTED && !trace_at_end_of_word(&ahead); ahead.at++)
        text[length++] = isprint((unsigned char)*ahead.at) ? *ahead.at : '?';
    strcpy(text + length, trace_at_end_of_word(&ahead) ? "" : "...");
}
