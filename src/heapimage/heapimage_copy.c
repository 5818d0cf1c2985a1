/*
 * heapimage_copy.c - see heapimage_copy.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage_copy.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "base/pair.h"
#include "mem/mem_core.h"
#include "mem/mem_live.h"

enum {
    PAGE = 4096,
    /* Behind the last object: code that reads an object's head, or the constants of a class, may
     * read so far before it knows that there is no object. */
    TAIL = 1 << 20,
    PIECE = 16 << 20, /* bytes copied in one call */
};

/* No JVM reserves more: ZGC reserves 16 heaps, of 16 TB at most. */
static const uint64_t span_max = (uint64_t)1 << 48;

static uint64_t page_floor(uint64_t at)
{
    return at & ~(uint64_t)(PAGE - 1);
}

static uint64_t page_ceil(uint64_t at)
{
    return page_floor(at + PAGE - 1);
}

static unsigned char *place(const struct heapimage_copy *c, uint64_t addr)
{
    return c->base + (addr - c->page);
}

static int copy_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct heapimage_copy *c = (struct heapimage_copy *)m;
    if (addr - c->low < c->high - c->low && len <= c->high - addr) {
        memcpy(dst, place(c, addr), len);
        return 0;
    }
    pair_take(&c->lock);
    int error = mem_read(c->rest, addr, dst, len);
    pair_give(&c->lock);
    return error;
}

static const struct mem_ops copy_ops = {.read = copy_read};

int heapimage_copy_open(struct heapimage_copy *c, struct heap *h, struct mem *rest)
{
    uint64_t page = page_floor(h->low);
    if (h->high <= h->low || h->high - h->low > span_max || h->high > UINT64_MAX - TAIL - PAGE)
        return E_VM_STATE;
    *c = (struct heapimage_copy){.mem.ops = &copy_ops,
                                 .rest = rest,
                                 .low = h->low,
                                 .high = h->high,
                                 .bytes = (size_t)(page_ceil(h->high) - page + TAIL),
                                 .page = page,
                                 .is_writable = h->collector == HEAP_ZGC};
    void *base = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return -ENOMEM;
    c->base = base;
    h->delta = (int64_t)((uint64_t)(uintptr_t)base - page);
    return 0;
}

void heapimage_copy_turn(struct heapimage_copy *c, struct heap *h)
{
    uint64_t by = h->low - c->low;
    c->low += by;
    c->high += by;
    c->page += by;
    h->delta -= (int64_t)by;
}

void heapimage_copy_close(struct heapimage_copy *c)
{
    if (c->base)
        munmap(c->base, c->bytes);
    c->base = NULL;
}

/* ---- from a core */

/* Takes `bytes` that stand in the core at `offset`. */
static void take_own(struct heapimage_copy *c, const struct mem_core *core, int fd, uint64_t addr,
                     uint64_t offset, uint64_t bytes)
{
    uint64_t whole = page_floor(bytes);
    int access = PROT_READ | (c->is_writable ? PROT_WRITE : 0);
    if (whole == 0 || offset % PAGE != addr % PAGE || addr % PAGE != 0 ||
        mmap(place(c, addr), whole, access, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) ==
            MAP_FAILED)
        whole = 0;
    memcpy(place(c, addr + whole), core->elf.bytes + offset + whole, bytes - whole);
}

/* The pages of one piece, of the last one only what is below `end`. */
static void take_pages(struct heapimage_copy *c, struct mem_core *core, int fd, uint64_t at,
                       uint64_t end)
{
    while (at < end) {
        uint64_t offset, own = mem_core_own(core, at, &offset);
        own = own < end - at ? own : end - at;
        if (at % PAGE != 0 && own > page_ceil(at) - at) /* whole pages are mapped */
            own = page_ceil(at) - at;
        if (own > 0) {
            take_own(c, core, fd, at, offset, own);
            at += own;
            continue;
        }
        /* pages that the core has not: those of a file that nobody has written to */
        uint64_t upto = page_floor(at) + PAGE;
        upto = upto < end ? upto : end;
        if (mem_read(&core->mem, at, place(c, at), (size_t)(upto - at)) < 0)
            c->missing += upto - at;
        at = upto;
    }
}

int heapimage_copy_core(struct heapimage_copy *c, struct mem_core *core, const char *path,
                        const struct heap_range *ranges, uint32_t count)
{
    uint64_t done = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (uint32_t i = 0; i < count; i++) {
        /* behind the top a collection may have left what looks like an object */
        uint64_t at = page_floor(ranges[i].bottom), end = ranges[i].top;
        if (at < done) /* pieces may share a page */
            at = ranges[i].bottom < done ? done : ranges[i].bottom;
        if (at >= end)
            continue;
        take_pages(c, core, fd, at, end);
        done = end;
    }
    close(fd);
    return 0;
}

/* ---- from a process */

void heapimage_copy_prepare(struct heapimage_copy *c, const struct heap_range *ranges,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = page_floor(ranges[i].bottom), end = page_ceil(ranges[i].top);
        if (at >= end)
            continue;
        madvise(place(c, at), end - at, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
        madvise(place(c, at), end - at, MADV_POPULATE_WRITE);
#endif
    }
}

int heapimage_copy_live(struct heapimage_copy *c, struct mem_live *live,
                        const struct heap_range *ranges, uint32_t count,
                        bool (*is_over)(void *with), void *with)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t top = ranges[i].top;
        at = at < ranges[i].bottom ? ranges[i].bottom : at;
        while (at < top) {
            uint64_t n = top - at < PIECE ? top - at : PIECE;
            if (is_over(with))
                return -ETIMEDOUT;
            if (mem_live_read_now(live, at, place(c, at), (size_t)n) == 0) {
                at += n;
                continue;
            }
            n = page_floor(at) + PAGE - at;
            n = n < top - at ? n : top - at;
            if (mem_live_read_now(live, at, place(c, at), (size_t)n) < 0)
                c->missing += n;
            at += n;
        }
    }
    return 0;
}
