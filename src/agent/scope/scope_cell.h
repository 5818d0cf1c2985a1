/*
 * scope_cell.h - cells of the threads that have open scopes (safe/scope.h); which thread has which
 * cell.
 *
 * A platform thread has its cell from its first scope to its end. A virtual thread gets a cell at
 * its first scope. While it is mounted, the record of its carrier points to this cell. If it has no
 * open scope when it is unmounted, it gives the cell back. The memory of cells is reused but never
 * freed, because signal handlers and other threads read cells at any time.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/scope.h"

/** The cell of the calling platform thread, never of a virtual thread. NULL: no memory. */
struct scope_cell *scope_cell_own(void);
/**
 * A cell for the virtual thread that the calling thread carries. NULL: no memory, or there are too
 * many cells.
 */
struct scope_cell *scope_cell_virtual(int64_t java_id);
/** A virtual thread was mounted on the calling thread; is about to be unmounted; has ended. */
void scope_cell_mount(int64_t java_id);
void scope_cell_unmount(int64_t java_id);
void scope_cell_forget(int64_t java_id);
/** Mounts are not reported any more: take the cells of all virtual threads away. */
void scope_cell_forget_virtuals(void);

/**
 * The record of the calling thread's present cell, empty if it was not of this publication; other
 * profilers see it from now on (scope_record.h). It is never freed. NULL: no cell, or no memory.
 */
struct scope_record *scope_cell_record(void);
/** The publication has ended: no thread's variable points to a record any more. */
void scope_cell_hide_all(void);

/** The scope values of the thread with this kernel thread id. */
void scope_cell_read(int32_t tid, struct scope_values *ret);
/** The scope values of a virtual thread that is not mounted. */
void scope_cell_read_virtual(int64_t java_id, struct scope_values *ret);
/** Call `with` for each value that an open scope has, or that a scope will restore at its end. */
void scope_cell_each(void (*with)(uint32_t value));
