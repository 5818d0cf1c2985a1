/*
 * options_custom.h - the options of events that the application defines.
 *
 * These events are measured in each recording in JFR format. They have settings by their name, like
 * the events of the JDK.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

enum {
    OPTIONS_CUSTOM_MAX = 16, /* most events with settings */
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

/** How long an event with this type name must last to be recorded. `own_ns` is the threshold of the
 * type itself. Returns -1: the event is turned off. Context: any. */
int64_t options_custom_least_ns(const struct options *o, const char *event, uint64_t own_ns);
