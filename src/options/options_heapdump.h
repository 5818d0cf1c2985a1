/*
 * options_heapdump.h - what the option string says of heap dumps.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_heapdump {
    bool primfields, primarrays; /* what is in them, of primitive types */
    bool sites;                  /* traces of objects */
    bool plain;                  /* no constants of classes, no CONTROL SETTINGS */
};

extern const struct options_group options_heapdump;

/** What the option string says of heap dumps. Context: any. */
static inline const struct options_heapdump *options_heapdump_of(const struct options *o)
{
    return options_group_own(o, &options_heapdump);
}
