/*
 * heapdump_names.h - the classes of a dump: under which ids the file has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct dumpwriter;
struct heapdump;

/** Of the classes that have been listed. Errors: 0, -ENOMEM. Context: java, lock held. */
int heapdump_names_take(struct heapdump *d);
/** No dump comes any more: give back what stays from one to the next. Context: any. */
void heapdump_names_done(struct heapdump *d);
/** Behind the last stack that the dump refers to: which classes stacks name. Errors: -ENOMEM. */
int heapdump_names_note_stacks(struct heapdump *d);
/** Without a child: the id of class number `i` of the list, whose object has that tag. */
uint64_t heapdump_names_id(const struct heapdump *d, uint32_t i, uint64_t tag);
/** In the pause: which ids the classes have by their addresses. Context: gc. */
void heapdump_names_locate(struct heapdump *d);
/** What stacks name, and all stacks, into the file, behind the fork or without one. Lock held. */
void heapdump_names_announce(struct heapdump *d, bool has_child);
/** A dump inside the pause has announced all classes. Lock held. */
void heapdump_names_note_written(struct heapdump *d);
/** In the child, at its end. */
void heapdump_names_note_child(struct heapdump *d, const struct dumpwriter *w);
/** The child has ended. Lock held. */
void heapdump_names_settle(struct heapdump *d, bool is_whole);
