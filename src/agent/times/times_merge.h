/*
 * times_merge.h - the paths of a thread that has ended go on as those of all dead threads.
 *
 * A part of times_tree.c, whose lock is held by who calls this.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct times_node;
struct times_paths;

/**
 * The nodes of `from`, in the order of making, are added to those of `dead`, or become nodes of
 * `dead` where that has none like them. Returns those that are free now, for times_node_give().
 */
struct times_node *times_merge(struct times_paths *dead, struct times_paths *from);
