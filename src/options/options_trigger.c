/*
 * options_trigger.c - the group of the engine that watches for triggers; each trigger has its own
 * options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_group.h"

extern const struct options_group options_trigger;

const struct options_group options_trigger = {
    .name = "trigger",
    .serves = OPTIONS_MARK_WATCHES,
};
