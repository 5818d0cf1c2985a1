/*
 * options_histo.h - what the option string says of histograms of the heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_histo;

/** Whether only what can be reached is counted: live=y, which must have been given. Context: any.
 */
static inline bool options_histo_is_live(const struct options *o)
{
    return o->live && o->said.live;
}
