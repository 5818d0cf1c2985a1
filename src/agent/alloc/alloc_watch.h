/*
 * alloc_watch.h - whether there is memory for the tags of more objects.
 *
 * A tag takes 50 to 110 bytes of the VM's, and every object that lives has one: in a small memory
 * cgroup that is more than the program itself has left. What the program may still take is the rest
 * of its heap, that nobody has touched yet; tags get only what would be left then. When that is no
 * longer enough, no object is tagged any more, for good: it is counted as allocated, but not among
 * those that live, nor has it a site in a heap dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Begin. Nothing is tagged before. Context: java. */
void alloc_watch_start(void);
/** A row of the table was counted: `objects` is how many it had. Looks at times. Context: java. */
void alloc_watch_count(uint64_t objects);
/** NULL as long as objects are tagged; else how little was left. Context: any. */
const char *alloc_watch_full(void);
/**
 * Whether a collection that moves everything into memory nobody has touched yet would find too
 * little. Context: java.
 */
bool alloc_watch_no_collection(void);
/** The end. Context: any; nothing is counted any more. */
void alloc_watch_stop(void);
