/*
 * options_custom.h - what the option string says of events that the application defines: they are
 * measured in each recording as JFR.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_custom;

/** How long an event of the type of this name must last, whose own threshold is `own_ns`; -1: it
 * is turned off. Context: any. */
int64_t options_custom_least_ns(const struct options *o, const char *event, uint64_t own_ns);
