/*
 * unwoven.h - the offsets that a method's instructions had before probes were woven into it.
 *
 * Woven code says by itself what is a probe: nobody but a probe calls a class of ours
 * (safe/own_class.h), each argument of the call is pushed by one instruction just before it, and
 * what the call returns is stored by the one instruction behind it. So nothing need be kept of a
 * class that was woven, and the probes of all libraries of ours are told from the program's code.
 * What woven code does not say is whether a wide jump was one before (codeplan.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct cpool;

enum { UNWOVEN_NONE = UINT16_MAX }; /* no instruction of the program begins there */

/**
 * Fill in, for each place in the code, the offset of the instruction that begins there.
 *
 * A return, and a monitorexit, begins with the first of the probes before it that tell of what it
 * does: who steps through the code meets the instruction first, then the probe.
 *
 * Shape:   `ret_offsets` has `len` elements.
 * Errors:  how many probes there are, 0: each offset is the place itself; E_FORMAT: `code` is none;
 *          E_UNSUPPORTED: there are probes, and jumps that may have been made wide.
 * Context: any, not signal.
 */
int unwoven_map(const uint8_t *code, uint32_t len, const struct cpool *pool, uint16_t *ret_offsets);
