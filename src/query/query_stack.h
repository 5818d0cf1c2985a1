/*
 * query_stack.h - the tables `stacks` and `frames`, and the texts of frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct query;

/** Adds the tables. Errors: 0, -ENOMEM. */
int query_stack_open(struct query *q);
/** The name of a frame, class and method: it lives as long as the query. NULL: no memory. */
const char *query_stack_frame_name(struct query *q, frame_id frame);
/** The frames of the stack with this number, the innermost first. Returns how many; 0 also if there
 * is no such stack. */
uint32_t query_stack_frames(struct query *q, int64_t stack, const frame_id **ret_frames);
