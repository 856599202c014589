/* Plain lines: the most frequent ones of traces, which are a message with a plain rank and a plain
 * size, a plain time, or a wait, with single blanks and nothing after them. Inline, since reading
 * them is a large part of an evaluation. Internal to src/model. */
#ifndef MODEL_TRACES_PLAIN_LINES_H
#define MODEL_TRACES_PLAIN_LINES_H

#include "model/traces/expressions.h"
#include "model/traces/trace.h"

enum { PLAIN_DIGITS = 9, PLAIN_LINE_BYTES = 32 };

/* Up to nine digits, which continue *number. Unrolled: each digit is predicted by itself. */
static inline const char *take_digits(const char *at, uint32_t *number)
{
#pragma GCC unroll 9
    for (size_t i = 0; i < PLAIN_DIGITS; i++) {
        if (!trace_is_digit(at[i]))
            return at + i;
        *number = 10 * *number + (uint32_t)(at[i] - '0');
    }
    return at + PLAIN_DIGITS;
}

/* A blank and a number; NULL if there is none. */
static inline const char *take_plain_number(const char *at, uint32_t *number)
{
    const char *end = take_digits(at + 1, number);

    return *at == ' ' && end > at + 1 ? end : NULL;
}

/* A blank and a time of up to nine digits, whose quotient is correctly rounded. */
static inline const char *take_plain_time(const char *at, double unit_us, double *time_us)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    uint32_t number = 0;
    const char *whole = take_digits(at + 1, &number), *end = whole;
    size_t digits = (size_t)(whole - at) - 1, decimals = 0;

    if (*whole == '.' && digits < PLAIN_DIGITS) {
        end = take_digits(whole + 1, &number);
        decimals = (size_t)(end - whole) - 1;
    }
    if (*at != ' ' || digits + decimals == 0 || digits + decimals > PLAIN_DIGITS)
        return NULL;
    *time_us = (double)number / powers[decimals] * unit_us;
    return *time_us <= TRACE_LARGEST_TIME_US ? end : NULL;
}

/* The end of the plain line at `at`, of which PLAIN_LINE_BYTES can be read; NULL if it is another
 * line, or has an error. */
static inline const char *take_plain_line(const ccmod_trace *trace, const char *at,
                                          trace_operation *operation)
{
    static const uint8_t kinds[2][2] = {{CCMOD_SEND, CCMOD_RECEIVE},
                                        {CCMOD_START_SEND, CCMOD_START_RECEIVE}};
    bool started = *at == 'i';
    char name = at[started];

    at += 1 + started;
    if (name == 's' || name == 'r') {
        uint32_t peer = 0, size = 0;

        operation->kind = kinds[started][name == 'r'];
        at = take_plain_number(at, &peer);
        if (at != NULL)
            at = take_plain_number(at, &size);
        if (peer >= trace->ranks)
            return NULL;
        operation->a = peer;
        operation->b = size;
    } else if (name == 'c' && !started) {
        operation->kind = CCMOD_COMPUTE;
        at = take_plain_time(at, trace->unit_us, &operation->value);
    } else if (name == 'w' && !started) {
        operation->kind = CCMOD_WAIT;
        operation->a = operation->b = 0;
    } else {
        return NULL;
    }
    return at != NULL && *at == '\n' ? at + 1 : NULL;
}

#endif
