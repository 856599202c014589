/* Constant lists for options in tests. */
#ifndef TESTS_COMMON_LISTS_H
#define TESTS_COMMON_LISTS_H

#include "base/options.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(...)                                                                                  \
    (cb_list)                                                                                      \
    {                                                                                              \
        .values = (uint64_t[]){__VA_ARGS__}, .count = LENGTH(((uint64_t[]){__VA_ARGS__}))          \
    }

#endif
