/*
 * query_load.h - reads what only a pass over all inputs can tell: every stack, every thread.
 *
 * Stacks and threads get their numbers when a query meets them. A query that lists them all has to
 * meet them first.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;

/** Meets all stacks and threads; further calls do nothing. Errors: 0; -ENOMEM; -EINTR: the time is
 * over. */
int query_load_all(struct query *q);
/** All stacks and threads were met in another way. */
void query_load_note(struct query *q);
