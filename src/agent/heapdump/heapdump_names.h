/*
 * heapdump_names.h - the ids under which the file has the classes of a dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct dumpwriter;
struct heapdump;

/** Take the names of the listed classes (struct frozen_classes). Errors: 0, -ENOMEM. Context: java,
 * lock held. */
int heapdump_names_take(struct heapdump *d);
/** Give back the memory that is kept from one dump to the next. No further dump may follow.
 * Context: any. */
void heapdump_names_done(struct heapdump *d);
/** Note which classes the stacks name. Call this after the last stack to which the dump refers.
 * Errors: 0, -ENOMEM. */
int heapdump_names_note_stacks(struct heapdump *d);
/** If there is no child: the id of class number `i` of the list, whose object has the tag `tag`. */
uint64_t heapdump_names_id(const struct heapdump *d, uint32_t i, uint64_t tag);
/** In the pause: set the ids of the classes from the addresses of their objects. Context: gc. */
void heapdump_names_locate(struct heapdump *d);
/** Write the classes that stacks name, and all stacks, into the file. Called after the fork, or if
 * there is no fork. Lock held. */
void heapdump_names_announce(struct heapdump *d, bool has_child);
/** Note that a dump inside the pause has announced all classes. Lock held. */
void heapdump_names_note_written(struct heapdump *d);
/** In the child, at its end: note which classes the child has announced. */
void heapdump_names_note_child(struct heapdump *d, const struct dumpwriter *w);
/** The child has ended: take back the ids of classes that it has not announced. Lock held. */
void heapdump_names_settle(struct heapdump *d, bool is_whole);
