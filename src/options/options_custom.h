/*
 * options_custom.h - what the option string says of events that the application defines: they are
 * measured in each recording as JFR, and have settings by their name, as those of the JDK have.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

enum {
    OPTIONS_CUSTOM_MAX = 16, /* events that have settings */
    OPTIONS_CUSTOM_NAME = 128,
};

/** The settings of one event. */
struct options_custom_one {
    char event[OPTIONS_CUSTOM_NAME];
    bool is_off;
    bool has_threshold;
    uint64_t threshold_ns;
};

struct options_custom {
    struct options_custom_one of[OPTIONS_CUSTOM_MAX];
    uint32_t count;
};

extern const struct options_group options_custom;

/** How long an event of the type of this name must last, whose own threshold is `own_ns`; -1: it
 * is turned off. Context: any. */
int64_t options_custom_least_ns(const struct options *o, const char *event, uint64_t own_ns);
