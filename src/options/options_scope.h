/*
 * options_scope.h - the options that were given and act on nothing that is measured.
 *
 * The original accepts each option with each other in silence, and so do we; but whoever writes
 * include= without cpu=times expects something that will not happen, and is told. Only options that
 * are new in this agent are looked at: what scripts for the original say is left alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum { OPTIONS_SCOPE_NEEDED = 96 };

struct options_scope {
    const char *name; /* of the option, static */
    char
        needed[OPTIONS_SCOPE_NEEDED]; /* without which it does nothing: "heap=dump or heap=histo" */
};

/** Fills `ret` with up to `max` of them and returns how many there are. Context: any. */
int options_scope_idle(const struct options *o, struct options_scope *ret, int max);
