/*
 * paged.c - see paged.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/paged.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, PAGE_COUNT = 64 };

struct paged {
    struct mem mem;
    struct mem *whole;
    struct page {
        uint64_t number; /* address / PAGE_BYTES; 0: none */
        unsigned char bytes[PAGE_BYTES];
    } pages[PAGE_COUNT];
};

static int read_paged(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct paged *paged = (struct paged *)m;
    uint64_t number = addr / PAGE_BYTES, at = addr % PAGE_BYTES;
    struct page *page = &paged->pages[number % PAGE_COUNT];
    if (number == 0 || at + len > PAGE_BYTES)
        return mem_read(paged->whole, addr, dst, len);
    if (page->number != number) {
        page->number = 0;
        if (mem_read(paged->whole, number * PAGE_BYTES, page->bytes, PAGE_BYTES) < 0)
            return mem_read(paged->whole, addr, dst, len);
        page->number = number;
    }
    memcpy(dst, page->bytes + at, len);
    return 0;
}

struct paged *paged_open(struct mem *whole)
{
    static const struct mem_ops ops = {.read = read_paged};
    struct paged *p = calloc(1, sizeof(*p));
    if (p) {
        p->mem.ops = &ops;
        p->whole = whole;
    }
    return p;
}

void paged_close(struct paged *p)
{
    free(p);
}

struct mem *paged_mem(struct paged *p)
{
    return &p->mem;
}
