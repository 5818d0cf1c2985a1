/*
 * frozen_sites.c - finds the allocation site of each object, in the child.
 *
 * The tags of one JVM TI environment name the sites (agent/alloc/alloc.h). The child reads the VM's
 * table of these tags directly in memory, which takes a small part of the time of a walk of JVM TI.
 * The table holds the addresses of the objects. See docs/heap-dump.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_sites.h"
#include <stdbool.h>
#include <sys/mman.h>
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_share.h"
#include "agent/frozen/frozen_status.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/pages.h"
#include "heapwalk/tag_reader.h"
#include "hotspot/layout.h"
#include "safe/mem_self.h"

enum {
    PROGRESS = 1 << 12, /* objects between two reports of progress */
    AHEAD = 32,         /* sites whose places are being fetched into the cache; a power of two */
};

void frozen_sites_note(struct frozen_sites *s, const struct heap *heap, uint64_t object,
                       int64_t tag)
{
    uint32_t row = alloc_share_row(tag);
    if (row && heap_has(heap, object))
        s->rows[(object - heap->low) >> 3] = row;
}

/* The state of reading the table. If the sentinel is found in the table, addresses and tags were
 * understood correctly. */
struct reading {
    struct frozen_sites *sites;
    const struct heap *heap;
    struct frozen_status *status;
    uint64_t sentinel;
    bool is_seen;
    struct {
        uint64_t object;
        int64_t tag;
    } coming[AHEAD];
    uint32_t at;
};

/* Notes a site a little later. Objects come in no order, so the place of each site is fetched into
 * the cache first and written when it has arrived. */
static void note_later(struct reading *r, uint64_t object, int64_t tag)
{
    uint32_t at = r->at++ % AHEAD;
    if (r->coming[at].object)
        frozen_sites_note(r->sites, r->heap, r->coming[at].object, r->coming[at].tag);
    r->coming[at].object = object;
    r->coming[at].tag = tag;
    if (r->at % PROGRESS == 0)
        frozen_status_progress(r->status, PROGRESS);
    if (object)
        __builtin_prefetch(&r->sites->rows[(object - r->heap->low) >> 3], 1);
}

static void note(void *arg, uint64_t object, int64_t tag)
{
    struct reading *r = arg;
    object = heap_of_word(r->heap, object);
    if (!heap_has(r->heap, object))
        return;
    object = heap_resolve(r->heap, object);
    if (tag == FROZEN_VM_SENTINEL && object == r->sentinel)
        r->is_seen = true;
    note_later(r, object, tag);
}

/* Whether frozen_sites_read() will probably be able to read the table; false if it could not the
 * last time. */
static bool table_is_expected(const struct frozen_sites *s, const struct frozen_vm *v)
{
    return !s->must_walk && !s->tests_walk &&
           tag_reader_expect(v->target.mem, v->target.layout->version,
                             (uint64_t)(uintptr_t)alloc_env()) == 0;
}

bool frozen_sites_wanted(const struct frozen_sites *s, const struct frozen_vm *v)
{
    return s->are_wanted && v->can_fork && alloc_env();
}

static uint64_t rows_bytes(const struct frozen_vm *v)
{
    return (v->heap.high - v->heap.low) / 8 * sizeof(uint32_t);
}

/* The tags of the environment that tracks allocations name the sites. If the table of these tags
 * cannot be read, this environment does the walk, because its walk shows the tags. Its walk is
 * slower also for the roots, because the VM looks for the tag of each root among many tags. */
void frozen_sites_take(struct frozen_sites *s, const struct frozen_vm *v, const char *what)
{
    bool are_wanted = frozen_sites_wanted(s, v);
    s->walker = v->jvmti;
    s->rows = are_wanted ? pages_map(rows_bytes(v)) : NULL;
    if (!are_wanted)
        return;
    if (!s->rows)
        log_note("%s: no %llu MB for the sites of objects: it has none of them", what,
                 (unsigned long long)(rows_bytes(v) >> 20));
    else if ((*alloc_env())->SetTag(alloc_env(), v->sentinel, FROZEN_VM_SENTINEL) ==
                 JVMTI_ERROR_NONE &&
             /* a walk in ZGC moves objects, so a copied heap is never walked */
             !table_is_expected(s, v) && !frozen_vm_is_copied(v))
        s->walker = alloc_env();
}

void frozen_sites_forget(struct frozen_sites *s, const struct frozen_vm *v)
{
    if (s->rows)
        pages_unmap(s->rows, rows_bytes(v));
    s->rows = NULL;
}

bool frozen_sites_by_walk(const struct frozen_sites *s, const struct frozen_vm *v)
{
    return s->walker != v->jvmti;
}

int frozen_sites_read(struct frozen_sites *s, struct frozen_vm *v, struct frozen_status *status)
{
    struct reading pair[2] = {
        {.sites = s,
         .heap = &v->heap,
         .status = status,
         .sentinel = heap_resolve(&v->heap, frozen_vm_object(v, v->sentinel))}};
    void *const args[] = {&pair[0], &pair[1]};
    int error, is_seen;
    pair[1] = pair[0];

    error = mem_self_open(MEM_SELF_HANDLER, 0);
    v->target.mem = &mem_self;
    if (!error && !s->tests_walk)
        error = tag_reader_read(&mem_self, v->target.layout->version,
                                (uint64_t)(uintptr_t)alloc_env(), note, args);
    for (int i = 0; i < 2 * AHEAD; i++)
        note_later(&pair[i / AHEAD], 0, 0);
    is_seen = pair[0].is_seen || pair[1].is_seen;
    mem_self_close();
    if (error || !is_seen) /* sets all sites to 0 again */
        madvise(s->rows, rows_bytes(v), MADV_DONTNEED);
    return is_seen ? error : E_FACT_MISSING;
}
