/*
 * footprint_sums.c - from mappings and claims to sums by row, by file, and by piece that nobody
 * claims.
 *
 * A mapping that belongs to one row gives it all its bytes. If several claims share a mapping, the
 * kernel's list of its pages (/proc/PID/pagemap) says which of them are in memory. That list also
 * has pages that are all zero and that no Rss counts. So the counts are taken of pages that only
 * this process has, if they add up to the mapping's Rss; else of all present pages, if these do;
 * else the Rss is divided in the proportion of the present pages. The sum is the Rss in each case.
 * Source: Linux Documentation/admin-guide/mm/pagemap.rst.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "footprint/footprint.h"

enum { ENTRIES = 8192, PRESENT = 63, SWAPPED = 62, EXCLUSIVE = 56, LISTED_MOST = 100000 };

struct piece {
    uint64_t start, end;
    enum footprint_row row;
    uint64_t present, exclusive, swapped; /* bytes of such pages */
    uint64_t resident;
};

struct adder {
    struct footprint *f;
    int pagemap; /* -1: it cannot be read */
    uint64_t page_bytes;
    struct piece *pieces; /* of the present mapping */
    uint32_t count, room;
    const char *library; /* the path of the last library */
    uint64_t entries[ENTRIES];
};

/* ---- the pieces of a mapping */

static bool add_piece(struct adder *a, uint64_t start, uint64_t end, enum footprint_row row)
{
    if (a->count == a->room) {
        uint32_t wanted = a->room == 0 ? 64 : a->room * 2;
        struct piece *pieces = reallocarray(a->pieces, wanted, sizeof(*pieces));
        if (!pieces)
            return false;
        a->pieces = pieces;
        a->room = wanted;
    }
    a->pieces[a->count++] = (struct piece){.start = start, .end = end, .row = row};
    return true;
}

/* Cuts the mapping at the ends of claims. `*claim` is the first claim that may reach into it. */
static bool cut(struct adder *a, const struct smaps_region *r, enum footprint_row rest,
                uint32_t *claim)
{
    const struct footprint_claims *c = &a->f->done;
    uint64_t at = r->start;
    a->count = 0;
    while (*claim < c->count && c->rows[*claim].end <= r->start)
        ++*claim;
    for (uint32_t i = *claim; i < c->count && c->rows[i].start < r->end; i++) {
        uint64_t start = c->rows[i].start > at ? c->rows[i].start : at;
        uint64_t end = c->rows[i].end < r->end ? c->rows[i].end : r->end;
        if ((start > at && !add_piece(a, at, start, rest)) ||
            !add_piece(a, start, end, c->rows[i].row))
            return false;
        at = end;
    }
    return at >= r->end || add_piece(a, at, r->end, rest);
}

/* ---- their pages */

static void count_page(struct adder *a, uint32_t *piece, uint64_t page, uint64_t entry)
{
    uint64_t start = page * a->page_bytes, end = start + a->page_bytes;
    while (*piece < a->count && a->pieces[*piece].end <= start)
        ++*piece;
    for (uint32_t i = *piece; i < a->count && a->pieces[i].start < end; i++) {
        struct piece *p = &a->pieces[i];
        uint64_t low = p->start > start ? p->start : start, high = p->end < end ? p->end : end;
        uint64_t bytes = high - low;
        p->present += entry >> PRESENT & 1 ? bytes : 0;
        p->exclusive += (entry >> PRESENT & 1) && (entry >> EXCLUSIVE & 1) ? bytes : 0;
        p->swapped += entry >> SWAPPED & 1 ? bytes : 0;
    }
}

static void count_pages(struct adder *a, const struct smaps_region *r)
{
    uint64_t page = r->start / a->page_bytes, last = (r->end - 1) / a->page_bytes;
    uint32_t piece = 0;
    while (page <= last) {
        uint64_t wanted = last - page + 1 < ENTRIES ? last - page + 1 : ENTRIES;
        ssize_t n = pread(a->pagemap, a->entries, wanted * 8, (off_t)(page * 8));
        if (n < 8)
            return;
        for (size_t i = 0; i < (size_t)n / 8; i++, page++)
            if (a->entries[i] >> SWAPPED != 0)
                count_page(a, &piece, page, a->entries[i]);
    }
}

/* a * b / c without overflow; c > 0, and the result is no larger than b. */
static uint64_t share(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((unsigned __int128)a * b / c);
}

static void divide(struct adder *a, const struct smaps_region *r)
{
    uint64_t present = 0, exclusive = 0, given = 0;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        present += a->pieces[i].present;
        exclusive += a->pieces[i].exclusive;
        if (a->pieces[i].end - a->pieces[i].start >
            a->pieces[largest].end - a->pieces[largest].start)
            largest = i;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct piece *p = &a->pieces[i];
        if (exclusive == r->resident)
            p->resident = p->exclusive;
        else if (present > 0)
            p->resident = share(p->present, r->resident, present);
        given += p->resident;
    }
    a->pieces[largest].resident += r->resident - given;
}

/* ---- the sums */

static void add_sum(struct footprint_sum *to, const struct smaps_region *r, const struct piece *p,
                    uint64_t swapped, uint64_t huge)
{
    uint64_t bytes = p->end - p->start;
    to->reserved += bytes;
    to->committed += r->can_read || r->can_write || r->can_execute ? bytes : 0;
    to->resident += p->resident;
    to->swapped += swapped;
    to->huge += huge;
}

static struct footprint_part *add_part(struct footprint_part **parts, uint32_t *count,
                                       const struct footprint_part *part)
{
    /* The room is the next power of two. */
    if ((*count & (*count - 1)) == 0) {
        struct footprint_part *grown =
            reallocarray(*parts, *count == 0 ? 1 : (size_t)*count * 2, sizeof(*grown));
        if (!grown)
            return NULL;
        *parts = grown;
    }
    (*parts)[*count] = *part;
    return &(*parts)[(*count)++];
}

static bool is_of_file(enum footprint_row row)
{
    return row >= FOOTPRINT_LIBRARIES || row == FOOTPRINT_ARCHIVE;
}

/* Lists the piece as a part of its file, or as a piece that nobody claims. */
static bool list(struct adder *a, const struct smaps_region *r, const struct piece *p)
{
    struct footprint *f = a->f;
    struct footprint_part part = {.row = p->row,
                                  .path = r->path,
                                  .start = p->start,
                                  .end = p->end,
                                  .can_read = r->can_read,
                                  .can_write = r->can_write,
                                  .can_execute = r->can_execute};
    add_sum(&part.sum, r, p, p->swapped, 0);
    if (p->row == FOOTPRINT_OTHER)
        return f->other_count >= LISTED_MOST || add_part(&f->others, &f->other_count, &part);
    if (!is_of_file(p->row))
        return true;
    if (p->row == FOOTPRINT_LIBRARIES && r->path[0] != '/' && a->library)
        part.path = a->library;
    else if (p->row == FOOTPRINT_LIBRARIES)
        a->library = r->path;
    return add_part(&f->files, &f->file_count, &part);
}

static bool add_region(struct adder *a, uint32_t index, uint32_t *claim)
{
    struct footprint *f = a->f;
    const struct smaps_region *r = &f->smaps.rows[index];
    if (!cut(a, r, footprint_files_row(&f->smaps, index), claim))
        return false;
    if (a->count == 1) {
        a->pieces[0].resident = r->resident;
        a->pieces[0].swapped = r->swapped;
    } else if (a->pagemap >= 0) {
        count_pages(a, r);
        divide(a, r);
    } else {
        divide(a, r);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct piece *p = &a->pieces[i];
        /* A page that is shared with a forked child may be swapped in one of them only. */
        p->swapped = p->swapped < r->swapped ? p->swapped : r->swapped;
        add_sum(&f->sums[p->row], r, p, p->swapped, i == 0 ? r->huge : 0);
        add_sum(&f->total, r, p, p->swapped, i == 0 ? r->huge : 0);
        if (!list(a, r, p))
            return false;
    }
    return true;
}

/* ---- the lists */

static int by_path(const void *a, const void *b)
{
    const struct footprint_part *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_resident(const void *a, const void *b)
{
    const struct footprint_part *x = a, *y = b;
    if (x->sum.resident != y->sum.resident)
        return x->sum.resident < y->sum.resident ? 1 : -1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Makes one part of all parts of a file. */
static void join_files(struct footprint *f)
{
    uint32_t count = 0;
    if (f->file_count == 0)
        return;
    qsort(f->files, f->file_count, sizeof(*f->files), by_path);
    for (uint32_t i = 0; i < f->file_count; i++) {
        struct footprint_part *last = count > 0 ? &f->files[count - 1] : NULL;
        const struct footprint_part *next = &f->files[i];
        if (!last || strcmp(last->path, next->path) != 0 || last->row != next->row) {
            f->files[count++] = *next;
            f->sums[next->row].count++;
            continue;
        }
        last->sum.reserved += next->sum.reserved;
        last->sum.committed += next->sum.committed;
        last->sum.resident += next->sum.resident;
        last->sum.swapped += next->sum.swapped;
        last->end = next->end > last->end ? next->end : last->end;
    }
    f->file_count = count;
    qsort(f->files, f->file_count, sizeof(*f->files), by_resident);
}

int footprint_sums(struct footprint *f)
{
    char path[64];
    uint32_t claim = 0;
    bool is_good = true;
    struct adder *a = malloc(sizeof(*a));
    if (!a)
        return -ENOMEM;
    snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)f->task);
    *a = (struct adder){.f = f,
                        .pagemap = open(path, O_RDONLY | O_CLOEXEC),
                        .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    for (uint32_t i = 0; i < f->smaps.count && is_good; i++)
        is_good = add_region(a, i, &claim);
    if (a->pagemap >= 0)
        close(a->pagemap);
    free(a->pieces);
    free(a);
    if (!is_good)
        return -ENOMEM;
    join_files(f);
    if (f->other_count > 0)
        qsort(f->others, f->other_count, sizeof(*f->others), by_resident);
    f->sums[FOOTPRINT_OTHER].count = f->other_count;
    return 0;
}
