/*
 * options_sites.h - what the option string says of tables of sites.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_sites {
    bool gc; /* collect before a table of live objects */
};

extern const struct options_group options_sites;

/** What the option string says of tables of sites. Context: any. */
static inline const struct options_sites *options_sites_of(const struct options *o)
{
    return options_group_own(o, &options_sites);
}
