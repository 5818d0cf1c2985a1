/*
 * unwoven.h - computes the offsets that a method's instructions had before probes were inserted.
 *
 * The woven code itself tells which instructions belong to probes. Only a probe calls a class of
 * ours (safe/own_class.h). Each argument of the call is pushed by one instruction in front of it,
 * and the returned value is stored by the one instruction behind it. So nothing about a woven class
 * must be remembered, and the probes of all our libraries can be told from the program's code.
 * Woven code does not tell whether a wide jump was wide before (codeplan.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct cpool;

enum { UNWOVEN_NONE = UINT16_MAX }; /* no instruction of the program begins at this place */

/**
 * Fill in the old offset for each place where an instruction of the program begins.
 *
 * For a return or a monitorexit, the old offset stands at the first of the probes in front of it
 * that belong to it. So a debugger that steps through the code shows the instruction first and then
 * its probes.
 *
 * Shape:   `ret_offsets` has `len` elements.
 * Errors:  the number of probes; 0: no probes, each offset is unchanged; E_FORMAT: `code` is
 *          malformed; E_UNSUPPORTED: there are probes, and jumps that may have been made wide.
 * Context: any, not signal.
 */
int unwoven_map(const uint8_t *code, uint32_t len, const struct cpool *pool, uint16_t *ret_offsets);
