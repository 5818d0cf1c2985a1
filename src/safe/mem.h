/*
 * mem.h - the memory of a JVM: the own process, another process, or a core file.
 *
 * Readers of HotSpot's structures see addresses (uint64_t) and never pointers, so they do not know
 * which memory they read. A bad address is a result, never a crash.
 * `struct mem_view` is what walkers use: it remembers failures, so that they are asked for once per
 * decision; for the memory of the own process a read is one instruction.
 * Context of everything here: signal, where the back-end's `read` is (mem_self.h is).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem_self_load.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mem;

struct mem_ops {
    /** Copy `len` bytes at `addr` to `dst`. Errors: 0, -EFAULT; then `dst` is undefined. */
    int (*read)(struct mem *m, uint64_t addr, void *dst, size_t len);
};

/** Back-ends embed this as their first member. */
struct mem {
    const struct mem_ops *ops;
    uint32_t loads_in_line; /* the own process, whose faults mem_self_load.h's handler catches */
};

static inline int mem_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    return m->ops->read(m, addr, dst, len);
}

/** Reads a number of 8 bytes. Errors: 0; -EFAULT, then *ret_value is undefined. */
static inline int mem_load8(struct mem *m, uint64_t addr, uint64_t *ret_value)
{
    uint32_t faults = 0;
    if (!m->loads_in_line)
        return mem_read(m, addr, ret_value, sizeof(*ret_value));
    *ret_value = mem_self_load8(addr, &faults);
    return faults == 0 ? 0 : -EFAULT;
}

static inline int mem_load4(struct mem *m, uint64_t addr, uint32_t *ret_value)
{
    uint32_t faults = 0;
    if (!m->loads_in_line)
        return mem_read(m, addr, ret_value, sizeof(*ret_value));
    *ret_value = mem_self_load4(addr, &faults);
    return faults == 0 ? 0 : -EFAULT;
}

/**
 * A reader for one walk. Reads that fail give 0 and count in `faults`.
 *
 * `window` serves the addresses [low, high): a piece of stack that is known to be mapped (the part
 * above the stack pointer of the thread that runs the reader), or a copy of it. low == high: none.
 * Memory whose loads stand in line needs none and does not look at it.
 */
struct mem_view {
    struct mem *mem;
    const unsigned char *window;
    uint64_t low, high;
    uint32_t faults;
};

/** A number of `bytes` (8, 4, 2, 1) by `read`, or from the window. */
__attribute__((cold)) uint64_t mem_view_read(struct mem_view *v, uint64_t addr, unsigned bytes);

/** Numbers at `addr`, in the target's byte order (which is the host's: both little-endian). */
static inline uint64_t mem_view_u8(struct mem_view *v, uint64_t addr)
{
    return v->mem->loads_in_line ? mem_self_load8(addr, &v->faults) : mem_view_read(v, addr, 8);
}

static inline uint32_t mem_view_u4(struct mem_view *v, uint64_t addr)
{
    return v->mem->loads_in_line ? mem_self_load4(addr, &v->faults)
                                 : (uint32_t)mem_view_read(v, addr, 4);
}

static inline uint16_t mem_view_u2(struct mem_view *v, uint64_t addr)
{
    return v->mem->loads_in_line ? mem_self_load2(addr, &v->faults)
                                 : (uint16_t)mem_view_read(v, addr, 2);
}

static inline uint8_t mem_view_u1(struct mem_view *v, uint64_t addr)
{
    return v->mem->loads_in_line ? mem_self_load1(addr, &v->faults)
                                 : (uint8_t)mem_view_read(v, addr, 1);
}

static inline int32_t mem_view_s4(struct mem_view *v, uint64_t addr)
{
    return (int32_t)mem_view_u4(v, addr);
}
