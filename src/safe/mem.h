/*
 * mem.h - the memory of a JVM: the own process, another process, or a core file.
 *
 * Readers of HotSpot's structures see addresses (uint64_t) and never pointers, so they do not know
 * which memory they read. A bad address is a result, never a crash.
 * Walkers use `struct mem_view`. It counts failures, so that a walker checks for them once per
 * decision and not after each read. For the memory of the own process a read is one instruction.
 * Context of everything here: signal, if the back-end's `read` allows signal (the one of mem_self.h
 * does).
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
    /** Copy `len` bytes at `addr` to `dst`. Errors: 0; -EFAULT, and then `dst` is undefined. */
    int (*read)(struct mem *m, uint64_t addr, void *dst, size_t len);
};

/** The base of all back-ends, which embed it as their first member. */
struct mem {
    const struct mem_ops *ops;
    uint32_t loads_in_line; /* the own process: the handler of mem_self_load.h catches faults */
};

static inline int mem_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    return m->ops->read(m, addr, dst, len);
}

/** Read a number of 8 bytes. Errors: 0; -EFAULT, and then *ret_value is undefined. */
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
 * A reader for one walk. A read that fails gives 0 and is counted in `faults`.
 *
 * `window` serves the addresses [low, high). It is a piece of stack that is known to be mapped (the
 * part above the stack pointer of the thread that runs the reader), or a copy of such a piece. low
 * == high: there is no window. A memory with loads_in_line needs no window and ignores it.
 */
struct mem_view {
    struct mem *mem;
    const unsigned char *window;
    uint64_t low, high;
    uint32_t faults;
};

/** Read a number of `bytes` (8, 4, 2, 1) from the window, or by the back-end's `read`. */
__attribute__((cold)) uint64_t mem_view_read(struct mem_view *v, uint64_t addr, unsigned bytes);

/** The number at `addr`, in the target's byte order (which is the host's: little-endian). */
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
