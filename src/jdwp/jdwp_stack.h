/*
 * jdwp_stack.h - the frames of threads, and the values of local variables in them.
 *
 * An interpreted frame has its variables in its slots. Of a compiled frame only the place in its
 * method is known. A variable whose value is not known is an error, never a value.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jdwp/jdwp_vm.h"

/** The number of Java frames of the thread in this row of the snapshot. If its stack could not be
 * read, the reply fails and false is returned. */
bool jdwp_stack_count(struct jdwp_vm *vm, int32_t row, struct jdwp_wire_reply *out,
                      uint32_t *ret_count);
/** Write the id and the location of frame `depth`; 0: innermost. */
void jdwp_stack_put(struct jdwp_vm *vm, int32_t row, uint32_t depth, struct jdwp_wire_reply *out);
/** The depth of the snapshot's frame number `frame`; -1: none. */
int32_t jdwp_stack_depth_of(const struct jdwp_vm *vm, int32_t row, int32_t frame);
