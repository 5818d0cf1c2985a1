/*
 * mem.h - the memory of a JVM: the own process, another process, or a core file.
 *
 * Readers of HotSpot's structures see addresses (uint64_t) and never pointers, so they do not know
 * which memory they read. A bad address is a result, never a crash.
 * `struct mem_view` is what walkers use: it remembers failures, so that they are asked for once per
 * decision, and it reads the stack of one thread without a call.
 * Context of everything here: signal, where the back-end's `read` is (mem_self.h is).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mem;

struct mem_ops {
    /** Copy `len` bytes at `addr` to `dst`. Errors: 0, -EFAULT; then `dst` is undefined. */
    int (*read)(struct mem *m, uint64_t addr, void *dst, size_t len);
    /** Shorter ways to one number; NULL: by `read`. The address is not in the first page. */
    int (*load8)(uint64_t addr, void *dst), (*load4)(uint64_t addr, void *dst);
    int (*load2)(uint64_t addr, void *dst), (*load1)(uint64_t addr, void *dst);
};

/** Back-ends embed this as their first member. */
struct mem {
    const struct mem_ops *ops;
};

static inline int mem_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    return m->ops->read(m, addr, dst, len);
}

/* The first page is never mapped, and a wrong pointer is most often a small number. */
#define MEM_LOAD(bytes)                                                                            \
    static inline int mem_load##bytes(struct mem *m, uint64_t addr, void *dst)                     \
    {                                                                                              \
        if (m->ops->load##bytes != NULL && addr >> 12 != 0)                                        \
            return m->ops->load##bytes(addr, dst);                                                 \
        return mem_read(m, addr, dst, bytes);                                                      \
    }
MEM_LOAD(8)
MEM_LOAD(4)
MEM_LOAD(2)
MEM_LOAD(1)
#undef MEM_LOAD

/**
 * A reader for one walk. Reads that fail give 0 and count in `faults`.
 *
 * `window` serves the addresses [low, high): a piece of stack that is known to be mapped (the part
 * above the stack pointer of the thread that runs the reader), or a copy of it. low == high: none.
 */
struct mem_view {
    struct mem *mem;
    const unsigned char *window;
    uint64_t low, high;
    uint32_t faults;
};

/** Numbers at `addr`, in the target's byte order (which is the host's: both little-endian). */
static inline uint64_t mem_view_u8(struct mem_view *v, uint64_t addr)
{
    uint64_t value = 0;
    if (v->window != NULL && addr - v->low < v->high - v->low && v->high - addr >= sizeof value) {
        memcpy(&value, v->window + (addr - v->low), sizeof value);
        return value;
    }
    if (mem_load8(v->mem, addr, &value) < 0) {
        v->faults++;
        return 0;
    }
    return value;
}

static inline uint32_t mem_view_u4(struct mem_view *v, uint64_t addr)
{
    uint32_t value = 0;
    if (mem_load4(v->mem, addr, &value) < 0) {
        v->faults++;
        return 0;
    }
    return value;
}

static inline uint16_t mem_view_u2(struct mem_view *v, uint64_t addr)
{
    uint16_t value = 0;
    if (mem_load2(v->mem, addr, &value) < 0) {
        v->faults++;
        return 0;
    }
    return value;
}

static inline uint8_t mem_view_u1(struct mem_view *v, uint64_t addr)
{
    uint8_t value = 0;
    if (mem_load1(v->mem, addr, &value) < 0) {
        v->faults++;
        return 0;
    }
    return value;
}

static inline int32_t mem_view_s4(struct mem_view *v, uint64_t addr)
{
    return (int32_t)mem_view_u4(v, addr);
}
