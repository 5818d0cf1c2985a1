/*
 * alloc_watch.h - whether there is memory for the tags of more objects.
 *
 * A tag takes 50 to 110 bytes of the VM's memory, and every object that lives has a tag. In a small
 * memory cgroup this may be more than the memory that is left for the program. The program may
 * still take the part of its heap that no thread has touched yet; tags get only the memory that
 * would be left after that. When this is no longer enough, objects get no tags any more, until the
 * end. An object without a tag is counted as allocated, but not as live, and it has no site in a
 * heap dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Begin. No object is tagged before this call. Context: java. */
void alloc_watch_start(void);
/** An object was counted in a row of the table that had `objects` objects before. Only some calls
 * look at the memory. Context: java. */
void alloc_watch_count(uint64_t objects);
/** NULL as long as objects are tagged; otherwise a text that says how little memory was left.
 * Context: any. */
const char *alloc_watch_full(void);
/**
 * Whether there is too little memory for a collection. The collection may move all objects into
 * memory that no thread has touched yet. Context: java.
 */
bool alloc_watch_no_collection(void);
/** End. Context: any; no object is counted any more. */
void alloc_watch_stop(void);
