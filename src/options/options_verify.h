/*
 * options_verify.h - the options that `hprof verify` gives to the agent: docs/verify.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_verify {
    char report[OPTIONS_ROW_TEXT]; /* "": no verification */
    long rate, share, random, seconds;
};

extern const struct options_group options_verify;

/** The options of the verification. Context: any. */
static inline const struct options_verify *options_verify_of(const struct options *o)
{
    return options_group_own(o, &options_verify);
}
