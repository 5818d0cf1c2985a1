/*
 * wastetable.h - the tables that questions about waste have in common.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct heapanswer;
struct graph;
struct holders;

/** Writes a table "fields": which fields hold what wastes memory, the first `most` of them. */
void wastetable_put_holders(struct heapanswer *a, const struct graph *g, const struct holders *h,
                            uint32_t most);
