/*
 * options_sites.h - the options of tables of allocation sites (heap=sites).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_sites {
    bool gc; /* collect garbage before a table of live objects */
};

extern const struct options_group options_sites;

/** The options of tables of sites. Context: any. */
static inline const struct options_sites *options_sites_of(const struct options *o)
{
    return options_group_own(o, &options_sites);
}
