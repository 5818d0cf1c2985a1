/*
 * footprint_malloc.c - what malloc() of glibc has: its main heap, its arenas, its large blocks.
 *
 * The main heap is the mapping that the kernel calls [heap]. The heaps of other arenas begin at
 * multiples of 64 MB with a header that names the arena. A large block is a mapping of its own,
 * whose header has its size and the mark of such blocks; the kernel may show several of them as one
 * mapping. Only pages that are in memory are looked at.
 * Source: glibc malloc/arena.c (heap_info), malloc/malloc.c (malloc_chunk, IS_MMAPPED).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "footprint/footprint.h"

enum {
    HEAP_BYTES = 64 << 20, /* HEAP_MAX_SIZE of a CPU with 64 bits */
    HEAP_PAGE = 4096,
    SIZE_FLAGS = 7,
    IS_MMAPPED = 2,
    HEAD_BYTES = 16,        /* which the size does not include from glibc 2.42 on */
    BLOCK_LEAST = 64 << 10, /* the threshold of malloc() begins at 128 KB */
    ENTRIES = 4096,         /* of pagemap, read at once */
};

/* ---- whose malloc() it is */

/* The last part of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

void footprint_malloc_look(struct footprint *f)
{
    static const char *const foreign[] = {"libjemalloc", "libtcmalloc", "libmimalloc",
                                          "libsnmalloc", "librpmalloc", "libhoard"};
    struct footprint_heaps *h = &f->heaps;
    h->allocator = FOOTPRINT_UNKNOWN;
    for (uint32_t i = 0; i < f->smaps.count; i++) {
        const char *name = name_of(f->smaps.rows[i].path);
        if (!f->smaps.rows[i].can_execute)
            continue;
        for (size_t j = 0; j < sizeof(foreign) / sizeof(*foreign); j++) {
            if (!begins(name, foreign[j]))
                continue;
            h->allocator = FOOTPRINT_FOREIGN;
            snprintf(h->name, sizeof(h->name), "%s", name);
            return;
        }
        if (begins(name, "ld-musl"))
            h->allocator = FOOTPRINT_MUSL;
        else if (begins(name, "libc.so.6") || begins(name, "libc-2."))
            h->allocator = FOOTPRINT_GLIBC;
    }
}

/* ---- main heap and arenas */

/* Returns the number of arenas that begin with this heap, 0 or 1; -1: it is none. */
static int arena_at(struct footprint *f, uint64_t at)
{
    enum { ARENA, PREVIOUS, SIZE, USABLE, FIELDS };
    uint64_t heap[FIELDS];
    if (!footprint_load(f, at, heap, sizeof(heap)))
        return -1;
    uint64_t first = heap[ARENA] & ~(uint64_t)(HEAP_BYTES - 1);
    bool is_sized = heap[SIZE] >= HEAP_PAGE && heap[SIZE] <= HEAP_BYTES &&
                    heap[USABLE] >= heap[SIZE] && heap[USABLE] <= HEAP_BYTES &&
                    heap[SIZE] % HEAP_PAGE == 0 && heap[USABLE] % HEAP_PAGE == 0;
    /* The arena lies behind the header of its first heap. */
    if (!is_sized || heap[ARENA] - first > 256 || heap[ARENA] == first)
        return -1;
    return heap[PREVIOUS] == 0 && first == at ? 1 : heap[PREVIOUS] != 0 && first != at ? 0 : -1;
}

void footprint_malloc_arenas(struct footprint *f)
{
    for (uint32_t i = 0; i < f->smaps.count; i++) {
        const struct smaps_region *r = &f->smaps.rows[i];
        if (strcmp(r->path, "[heap]") == 0)
            footprint_claim(f, r->start, r->end, FOOTPRINT_MALLOC);
        if (f->heaps.allocator != FOOTPRINT_GLIBC || !r->can_write ||
            !footprint_anonymous(f, r->start))
            continue;
        uint64_t at = (r->start + HEAP_BYTES - 1) & ~(uint64_t)(HEAP_BYTES - 1);
        for (; at >= r->start && at < r->end; at += HEAP_BYTES) {
            int arenas = footprint_is_claimed(f, at) ? -1 : arena_at(f, at);
            if (arenas < 0)
                continue;
            f->heaps.arenas += (uint64_t)arenas;
            footprint_claim(f, at, at + HEAP_BYTES, FOOTPRINT_ARENAS);
        }
    }
    f->sums[FOOTPRINT_ARENAS].count = f->heaps.arenas;
    footprint_settle(f);
}

/* ---- large blocks */

struct pages {
    struct footprint *f;
    int fd;
    uint64_t page_bytes, first; /* the number of the page of entries[0] */
    size_t count;
    uint64_t entries[ENTRIES];
};

/* Whether the page at `at` is in memory. */
static bool is_resident(struct pages *p, uint64_t at)
{
    uint64_t page = at / p->page_bytes;
    if (page - p->first >= p->count) {
        ssize_t n = pread(p->fd, p->entries, sizeof(p->entries), (off_t)(page * 8));
        p->first = page;
        p->count = n > 0 ? (size_t)n / 8 : 0;
    }
    return page - p->first < p->count && p->entries[page - p->first] >> 63 != 0;
}

/* The bytes of a large block that may be at `at`; 0: there is none. */
static uint64_t head_at(struct pages *p, uint64_t at, uint64_t end)
{
    uint64_t head[2];
    if (!is_resident(p, at) || !footprint_load(p->f, at, head, sizeof(head)))
        return 0;
    uint64_t size = head[1] & ~(uint64_t)SIZE_FLAGS;
    if (size % p->page_bytes == p->page_bytes - HEAD_BYTES)
        size += HEAD_BYTES;
    bool is_block = (head[1] & SIZE_FLAGS) == IS_MMAPPED && size >= BLOCK_LEAST &&
                    size % p->page_bytes == 0 && size <= end - at && head[0] == 0;
    return is_block ? size : 0;
}

/* Other memory may begin with the same numbers by chance. So a direct buffer must lie in the block,
 * or behind it must be the end of the mapping, another block, or memory that is claimed. */
static uint64_t block_at(struct pages *p, uint64_t at, uint64_t end)
{
    uint64_t size = head_at(p, at, end), behind = at + size;
    bool is_block = size > 0 && (behind == end || footprint_is_claimed(p->f, at + HEAD_BYTES) ||
                                 footprint_is_claimed(p->f, at + p->page_bytes) ||
                                 footprint_is_claimed(p->f, behind) || head_at(p, behind, end) > 0);
    return is_block ? size : 0;
}

/* Direct buffers lie in blocks; the rest of such a block is its header, and what it is too long. */
static void look_for_blocks(struct pages *p, const struct smaps_region *r)
{
    for (uint64_t at = r->start, end; at < r->end;) {
        enum footprint_row row = footprint_claimed_by(p->f, at, &end);
        bool is_free = row == FOOTPRINT_ROWS || row == FOOTPRINT_DIRECT;
        uint64_t bytes = is_free ? block_at(p, at, r->end) : 0;
        if (bytes > 0) {
            footprint_claim(p->f, at, at + bytes, FOOTPRINT_BLOCKS);
            p->f->sums[FOOTPRINT_BLOCKS].count++;
            at += bytes;
        } else if (is_free || end >= r->end) {
            at += is_free ? p->page_bytes : r->end - at;
        } else {
            at = (end + p->page_bytes - 1) & ~(p->page_bytes - 1);
        }
    }
}

void footprint_malloc_blocks(struct footprint *f)
{
    char path[64];
    if (f->heaps.allocator != FOOTPRINT_GLIBC)
        return;
    struct pages *p = malloc(sizeof(*p));
    if (!p) {
        f->is_bad = true;
        return;
    }
    snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)f->task);
    *p = (struct pages){.f = f,
                        .fd = open(path, O_RDONLY | O_CLOEXEC),
                        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    for (uint32_t i = 0; i < f->smaps.count && p->fd >= 0; i++) {
        const struct smaps_region *r = &f->smaps.rows[i];
        if (!r->can_write || r->resident == 0 || !footprint_anonymous(f, r->start))
            continue;
        look_for_blocks(p, r);
    }
    if (p->fd >= 0)
        close(p->fd);
    free(p);
    footprint_settle(f);
}
