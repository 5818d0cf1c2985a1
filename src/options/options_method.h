/*
 * options_method.h - the option of calls of methods (method=).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

enum { OPTIONS_METHOD_MAX = 8, OPTIONS_METHOD_TEXT = 512 };

/** One value of method=. */
struct options_method_one {
    char text[OPTIONS_METHOD_TEXT]; /* as it was given, for messages */
    char klass[OPTIONS_METHOD_TEXT], method[OPTIONS_METHOD_TEXT]; /* patterns (base/wildcard.h) */
    bool has_events; /* calls that last longer than `least_ns` are events */
    uint64_t least_ns;
};

struct options_method {
    int count;
    struct options_method_one one[OPTIONS_METHOD_MAX];
};

extern const struct options_group options_method;

/** The methods that the options ask for. Context: any. */
static inline const struct options_method *options_method_of(const struct options *o)
{
    return options_group_own(o, &options_method);
}
