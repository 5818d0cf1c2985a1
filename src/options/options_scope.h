/*
 * options_scope.h - finds options that were given but have no effect on what is measured.
 *
 * The original accepts every combination of options silently, and so does this agent. But a user
 * who writes include= without cpu=times expects something that will not happen, so a message tells
 * it. Only options that the original does not have are checked, so scripts for the original get no
 * new messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum { OPTIONS_SCOPE_NEEDED = 96 };

struct options_scope {
    const char *name; /* name of the option, static */
    char
        needed[OPTIONS_SCOPE_NEEDED]; /* it has no effect without this: "heap=dump or heap=histo" */
};

/** Fills `ret` with up to `max` such options. Returns how many. Context: any. */
int options_scope_idle(const struct options *o, struct options_scope *ret, int max);
