/*
 * kernel_ring.h - the kernel's part of an interrupted thread's stack, as perf left it.
 *
 * Each time a perf event fires, the kernel writes one record into memory that it shares with the
 * process. The record has the addresses of the kernel's frames, innermost first, and the place to
 * which the kernel will go back. The handler of the event's signal reads the record.
 *
 * The functions read the two pages of the ring that belongs to the interrupted thread's own event.
 * The pages are mapped before the event can fire, and unmapped only when no handler can be reading
 * (agent/timer/); plain loads are therefore safe. The event is stopped until the handler is done,
 * so the kernel writes nothing meanwhile. All the same, the functions check what they read, and no
 * load leaves the two pages.
 * Source: perf_event_open(2), linux/perf_event.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct regs;
struct walk_frame;

/** Pages of a ring: one says where the records are, one holds them. A signal has one record. */
enum { KERNEL_RING_PAGES = 2 };

/** Make `attr` ask for such records. Context: any. */
void kernel_ring_ask(struct perf_event_attr *attr);

/**
 * Read the kernel frames of the newest record in the ring at `ring`, of KERNEL_RING_PAGES pages.
 *
 * Shape:   writes at most `max` frames, innermost first, of kind WALK_KIND_KERNEL. `method` is an
 *          address: of the instruction, and in callers an address within the call.
 * Errors:  the number of frames; 0 if the thread was in user mode; -1 if the record belongs to
 *          another moment than `regs`, which say where the thread goes on.
 * Context: signal; the event is stopped.
 */
int kernel_ring_read(const void *ring, size_t page_bytes, const struct regs *regs,
                     struct walk_frame *frames, uint32_t max);
/** Give the room of all records back to the kernel, after they were read. Context: as
 * kernel_ring_read(). */
void kernel_ring_empty(void *ring);
