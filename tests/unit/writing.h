/*
 * writing.h - a profile written in a format of the registry, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/profile.h"

struct writing {
    unsigned char *bytes; /* with a NUL behind them; the caller frees them */
    size_t len;
};

/** All sums of the kinds with a bit in `kinds`; `kind` and `value` say which is shown first. */
struct writing writing_of(const char *format, struct profile *p, uint32_t kinds, enum kind_id kind,
                          uint32_t value);
/** A profile of stacks of all sorts, in which every kind of event has something. */
struct profile *writing_example(void);
