/*
 * kernel_ring.h - the kernel's part of an interrupted thread's stack, as perf left it.
 *
 * Each time a perf event fires the kernel writes one record into memory that it shares with the
 * process: the addresses of its own frames, innermost first, and where it will go back to. The
 * handler of that signal reads it. Memory read: the two pages of the ring that belongs to the
 * interrupted thread's own event. They are mapped before the event can fire, and unmapped only when
 * no handler can be reading (agent/timer/), so plain loads do. The event stands still until the
 * handler is done, so the kernel writes nothing meanwhile; what lies there is checked all the same
 * and no load leaves the two pages. Source: perf_event_open(2), linux/perf_event.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct regs;
struct walk_frame;

/** Of a ring: one that says where the records are, one for them; each signal has one record. */
enum { KERNEL_RING_PAGES = 2 };

/** Ask for such records. Context: any. */
void kernel_ring_ask(struct perf_event_attr *attr);

/**
 * The kernel frames of the newest record in the ring at `ring`, of KERNEL_RING_PAGES pages.
 *
 * Shape:   writes at most `max` frames, innermost first, of kind WALK_KIND_KERNEL; `method` is the
 *          address: of the instruction, in callers an address within the call.
 * Errors:  their number, 0 if the thread was in user mode; -1 if the record is of another moment
 *          than `regs`, which say where the thread goes on.
 * Context: signal, the event is not going.
 */
int kernel_ring_read(const void *ring, size_t page_bytes, const struct regs *regs,
                     struct walk_frame *frames, uint32_t max);
/** All is read: room for the next. Context: as before. */
void kernel_ring_empty(void *ring);
