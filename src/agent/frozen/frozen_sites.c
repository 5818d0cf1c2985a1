/*
 * frozen_sites.c - in the child: which site each object is from.
 *
 * Sites are the tags of an environment (agent/alloc/alloc.h), and objects are found again by their
 * addresses. The table of the tags is read as it lies in memory, which takes a small part of the
 * time that a walk of JVM TI takes: docs/heap-dump.md. SPDX-License-Identifier: Apache-2.0
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
    PROGRESS = 1 << 12, /* objects after which it is seen that there is progress */
    AHEAD = 32,         /* sites whose places are on their way into the cache; a power of two */
};

void frozen_sites_note(struct frozen_sites *s, const struct heap *heap, uint64_t object,
                       int64_t tag)
{
    uint32_t row = alloc_share_row(tag);
    if (row && heap_has(heap, object))
        s->rows[(object - heap->low) >> 3] = row;
}

/* The sentinel says whether addresses and tags are what they are taken for. */
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

/* Objects come in no order: each place is written to when it has come from memory. */
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

/* 1 if frozen_sites_read() will probably find the table, and has found it the last time. */
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

/* The sites of objects are the tags of the environment that watches allocations. Where their table
 * cannot be read that environment walks, whose walk shows them. It is the slower one for the roots,
 * too: it looks for the tag of each of them among many. */
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
             !table_is_expected(s, v) && !frozen_vm_is_copied(v)) /* whose walk moves things */
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
    if (error || !is_seen) /* the pages are zero again */
        madvise(s->rows, rows_bytes(v), MADV_DONTNEED);
    return is_seen ? error : E_FACT_MISSING;
}
