/*
 * options_histo.h - the options of heap histograms (heap=histo, event=histo).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_histo;

/** Whether only reachable objects are counted: live=y, which the user must have given. Context:
 * any. */
static inline bool options_histo_is_live(const struct options *o)
{
    return o->live && o->said.live;
}
