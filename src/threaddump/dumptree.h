/*
 * dumptree.h - prints one dump: a line about it, and who blocks whom in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct dumplocks;
struct dumpset_dump;
struct sink;
struct threaddump;

/** A line about a dump: its number, where it is, when it was made, its threads by state. */
void dumptree_head(struct sink *out, unsigned number, const struct dumpset_dump *d);
/** The threads that have locks for which others wait, and below each of them those others. Prints
 * nothing if no thread waits for another one. Errors: 0; -ENOMEM. */
int dumptree_print(struct sink *out, const struct threaddump *d, const struct dumplocks *l);
