/*
 * heaptable.h - large tables of numbers, in memory or in a file.
 *
 * All tables that grow with the objects of a heap come from one store. While memory lasts they are
 * plain arrays. When a request would pass the limit of the room, the store goes over to a temporary
 * file without a name: all large tables are written there, and pages of them are kept in what
 * memory is left. Reading and writing rows is the same in both states, so that results are, too.
 * The place in the file is reserved when a table is made: a full disk is found then, and not when a
 * row is written.
 *
 * A device that fails under the file leaves no way on within a computation: heaptable_guard() runs
 * one and comes back if that happens. Without it rows that cannot be read are all ones.
 * Threads: one at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "heap/heapnode.h"
#include "heap/heaproom.h"
#include "heap/heapspool.h"

struct diag;
struct heaptable_slab;

enum {
    HEAPTABLE_PAGE_SHIFT = 12, /* log2 of the bytes of a page */
    HEAPTABLE_PAGE_SHIFT_LEAST = 5,
    HEAPTABLE_PAGE_SHIFT_MOST = 14,
    HEAPTABLE_USED = 1 << 0, /* flags of pages: used since the clock came by */
    HEAPTABLE_DIRTY = 1 << 1,
};

/** A page of a table that is in the file. */
struct heaptable_page {
    unsigned char *at; /* NULL: not in memory */
    uint32_t slot;     /* its place in the file + 1; 0: never written, so all zero */
    uint32_t flags;
};

/** Places of the file: those that are free, how many it has, how many tables may need now, how many
 * they would need if all were in the file, and for how many the list has room. */
struct heaptable_places {
    uint32_t *free_slots;
    uint64_t free_count, slot_count, promised, wanted, slot_room, file_bytes;
};

/** Where tables come from. */
struct heaptable_store {
    struct heaproom *room;
    struct diag *diag;             /* borrowed; NULL: none */
    char folder[HEAPSPOOL_FOLDER]; /* of the file */
    unsigned page_shift;
    bool is_spilling;
    uint64_t expected_bytes; /* of all tables, for what is said of the file */
    int fd;                  /* -1: no file yet */
    int error;               /* the first failure: -errno */
    struct heaptable *tables;
    struct heaptable_slab *slabs, *hand; /* memory of pages; where the clock stands */
    uint32_t hand_at;
    uint64_t slab_count, slab_most; /* most: 0: as the room allows */
    struct heaptable_places places;
    jmp_buf *escape;
    /* Of a store that only reads: a checksum for each page of the file. */
    const uint64_t *checks;
    struct heaptable_store *other; /* whose pages may leave memory, too; NULL: none */
};

struct heaptable {
    struct heaptable_store *store;
    struct heaptable *next, *before; /* among those of the store */
    void *at;                        /* the rows; NULL: they are in pages */
    struct heaptable_page *pages;
    uint64_t rows, room_rows; /* rows there are, and for which there is room */
    uint64_t page_count, promised;
    unsigned row_shift; /* log2 of the bytes of a row: 0 to 3 */
};

/**
 * A store without tables. `folder` is where its file goes, NULL: beside `beside`. With
 * `page_bytes` > 0 all tables are in the file from the beginning, in pages of that size, a power
 * of 2, of which few are in memory: for tests.
 */
void heaptable_open(struct heaptable_store *s, struct heaproom *room, const char *folder,
                    const char *beside, uint32_t page_bytes);
/**
 * A store of tables that are in a file already and are never written. The file is `fd`, which
 * heaptable_close() closes, and has `pages` pages with their checksums, which are borrowed. A page
 * whose checksum is wrong is the error E_FORMAT, as a failing device is.
 */
void heaptable_open_kept(struct heaptable_store *s, struct heaproom *room, int fd, uint64_t pages,
                         const uint64_t *checks);
/** A table of such a file: `rows` rows of `row_bytes`, from a page on. The pages are within the
 * file. Errors: E_LIMIT. */
int heaptable_keep(struct heaptable *t, struct heaptable_store *s, uint64_t rows,
                   unsigned row_bytes, uint64_t page);
/** The checksum of a page. */
uint64_t heaptable_check(const unsigned char *bytes, size_t count);
/** All of so many bytes of a file, at an offset. Errors: -errno; -EIO: the file ends. */
int heaptable_write_at(int fd, const void *bytes, size_t count, uint64_t at);
int heaptable_read_at(int fd, void *to, size_t count, uint64_t at);
/** Gives back the file and the memory of pages. All tables are done already. */
void heaptable_close(struct heaptable_store *s);
/** Bytes that the file takes, at most. */
uint64_t heaptable_file_bytes(const struct heaptable_store *s);
/**
 * Runs `run` so that a failing device ends it. All tables of the store are done then, and what
 * `run` took from the room beside tables is lost until the process ends.
 *
 * Returns what `run` returns. Errors: also -errno of the device.
 */
int heaptable_guard(struct heaptable_store *s, int (*run)(void *with), void *with);

/** A table of `rows` rows of 1, 2, 4 or 8 bytes, all 0. It must not move until heaptable_done().
 * Errors: E_LIMIT; -errno: the temporary file cannot be made or has no room. */
int heaptable_init(struct heaptable *t, struct heaptable_store *s, uint64_t rows,
                   unsigned row_bytes);
void heaptable_done(struct heaptable *t);
/** Moves a table to another struct; `from` is empty then. */
void heaptable_move(struct heaptable *to, struct heaptable *from);
/** Makes room for rows behind the last one, so that there are `rows`. Errors: as
 * heaptable_init(). */
int heaptable_extend(struct heaptable *t, uint64_t rows);

/** Leaves the first `rows` rows, and gives the memory of the others back. */
void heaptable_cut(struct heaptable *t, uint64_t rows);

/** Brings a page into memory. Never NULL. */
unsigned char *heaptable_fault(const struct heaptable *t, uint64_t page);

static inline unsigned char *heaptable_see(const struct heaptable *t, uint64_t row, uint32_t flags)
{
    unsigned shift = t->store->page_shift;
    uint64_t at = row << t->row_shift, page = at >> shift;
    unsigned char *bytes;
    if (__builtin_expect(page < t->page_count && t->pages[page].at, 1)) {
        t->pages[page].flags |= flags;
        bytes = t->pages[page].at;
    } else {
        bytes = heaptable_fault(t, page);
        if (page < t->page_count)
            t->pages[page].flags |= flags;
    }
    return bytes + (at & ((UINT64_C(1) << shift) - 1));
}

/** A row of a table whose rows are numbers of objects. */
static inline heapnode heaptable_node(const struct heaptable *t, uint64_t row)
{
    if (__builtin_expect(t->at != NULL, 1))
        return ((const heapnode *)t->at)[row];
    heapnode v;
    memcpy(&v, heaptable_see(t, row, HEAPTABLE_USED), sizeof(v));
    return v;
}

static inline void heaptable_put(struct heaptable *t, uint64_t row, heapnode v)
{
    if (__builtin_expect(t->at != NULL, 1))
        ((heapnode *)t->at)[row] = v;
    else
        memcpy(heaptable_see(t, row, HEAPTABLE_USED | HEAPTABLE_DIRTY), &v, sizeof(v));
}

static inline uint8_t heaptable_byte(const struct heaptable *t, uint64_t row)
{
    return t->at ? ((const uint8_t *)t->at)[row] : *heaptable_see(t, row, HEAPTABLE_USED);
}

static inline void heaptable_put_byte(struct heaptable *t, uint64_t row, uint8_t v)
{
    if (t->at)
        ((uint8_t *)t->at)[row] = v;
    else
        *heaptable_see(t, row, HEAPTABLE_USED | HEAPTABLE_DIRTY) = v;
}

/** A row of a table with rows of any size. */
static inline uint64_t heaptable_get(const struct heaptable *t, uint64_t row)
{
    const unsigned char *b = t->at ? (const unsigned char *)t->at + (row << t->row_shift)
                                   : heaptable_see(t, row, HEAPTABLE_USED);
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (t->row_shift) {
    case 0:
        return *b;
    case 1:
        memcpy(&two, b, sizeof(two));
        return two;
    case 2:
        memcpy(&four, b, sizeof(four));
        return four;
    default:
        memcpy(&eight, b, sizeof(eight));
        return eight;
    }
}

static inline void heaptable_set(struct heaptable *t, uint64_t row, uint64_t v)
{
    unsigned char *b = t->at ? (unsigned char *)t->at + (row << t->row_shift)
                             : heaptable_see(t, row, HEAPTABLE_USED | HEAPTABLE_DIRTY);
    uint16_t two = (uint16_t)v;
    uint32_t four = (uint32_t)v;
    switch (t->row_shift) {
    case 0:
        *b = (unsigned char)v;
        break;
    case 1:
        memcpy(b, &two, sizeof(two));
        break;
    case 2:
        memcpy(b, &four, sizeof(four));
        break;
    default:
        memcpy(b, &v, sizeof(v));
    }
}

/** Says that a row will be needed soon. */
static inline void heaptable_prefetch(const struct heaptable *t, uint64_t row)
{
    if (t->at)
        __builtin_prefetch((const unsigned char *)t->at + (row << t->row_shift));
}

/** Adds a row of a number at the end. Errors: as heaptable_init(). */
static inline int heaptable_add(struct heaptable *t, heapnode v)
{
    if (t->rows >= t->room_rows) {
        int error = heaptable_extend(t, t->rows + 1);
        if (error < 0)
            return error;
    } else {
        t->rows++;
    }
    heaptable_put(t, t->rows - 1, v);
    return 0;
}
