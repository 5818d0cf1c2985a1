/*
 * scope_cell.h - the cells of the threads that have open scopes (safe/scope.h), and who has which.
 *
 * Platform threads have theirs from their first scope to their end. A virtual thread has one from
 * its first scope on; while it is mounted the record of its carrier points there, and with no scope
 * open it gives the cell back when it is unmounted. Memory of cells is used again and never given
 * back, for handlers and others look into it at any time.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/scope.h"

/** The cell of the calling OS thread's own Java thread, and no virtual one's. NULL: no memory. */
struct scope_cell *scope_cell_own(void);
/** A cell for the virtual thread that the calling thread carries. NULL: no memory, or there are too
 * many. */
struct scope_cell *scope_cell_virtual(int64_t java_id);
/** A virtual thread has got the calling thread as its carrier, is about to leave it, has ended. */
void scope_cell_mount(int64_t java_id);
void scope_cell_unmount(int64_t java_id);
void scope_cell_forget(int64_t java_id);
/** Nobody tells of mounts any more: no virtual thread has a cell. */
void scope_cell_forget_virtuals(void);

/** What the thread of this number of the kernel's works for. */
void scope_cell_read(int32_t tid, struct scope_values *ret);
/** The same of a virtual thread that is not mounted. */
void scope_cell_read_virtual(int64_t java_id, struct scope_values *ret);
/** Call `with` for each value that any scope has, or gives back at its end. */
void scope_cell_each(void (*with)(uint32_t value));
