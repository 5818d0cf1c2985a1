/*
 * times_merge.h - adds the paths of a thread that has ended to the common paths of all ended
 * threads.
 *
 * This is a part of times_tree.c; the caller holds its lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct times_node;
struct times_paths;

/**
 * Add the nodes of `from`, in the order of making, to the equal nodes of `dead`. A node without an
 * equal one becomes a node of `dead`. Returns the nodes that are free now, for times_node_give().
 */
struct times_node *times_merge(struct times_paths *dead, struct times_paths *from);
