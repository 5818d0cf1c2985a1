/*
 * heappage_tree.h - the upper part of the dominator tree as JSON, as large as there is room for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct graph;
struct sink;

/**
 * Writes the tree as an object of JSON of at most about `bytes` bytes. Objects that retain less are
 * left out until the rest is small enough; their parents have sums of them by class.
 *
 * Members, of which the arrays have one row for each object, in preorder, larger siblings first;
 * row 0 is the virtual root: "least" (what the smallest object retains), "depth", "name" (place in
 * "names"; -1 for row 0), "retained", "own", "id" (hexadecimal, without 0x), "children" (how many
 * objects it dominates immediately), "root" (place in "roots"; -1: no root) of the rows at depth 1,
 * "groups": for each row 0, or a list of three numbers for each class of children that are left
 * out: name, objects, what they retain. The name -1 stands for all further classes.
 *
 * Errors: 0; -ENOMEM; -errno.
 */
int heappage_tree_write(struct graph *g, uint64_t bytes, struct sink *out);
