/*
 * weavecheck.h - whether probes woven into a class at once are the same as one after the other.
 *
 * Weaves one after the other, each probe into the result of the one before, and compares the
 * instructions of each method that has the same probes both times. Two differences are allowed:
 * places in the constant pool, and the calls at handlers, which come several times when one after
 * the other: the later probe takes the call of the earlier for a handler of its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "classfile/instrument.h"

struct arena;

/**
 * Compare for `probes`, whose `caught` is called "caught" and whose selectors give a method the
 * same number each time. Returns the methods compared, or -1 and in *ret_method (owner: `a`) the
 * first that differs; 0 where one of the ways ends in an error.
 */
int weavecheck(const struct instrument_probe *const *probes, uint32_t probe_count,
               const uint8_t *bytes, size_t len, struct arena *a, struct cpool_utf8 *ret_method);
