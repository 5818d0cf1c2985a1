/*
 * frozen_sites.c - in the child: which site each object is from.
 *
 * Sites are the tags of an environment (agent/alloc/alloc.h), and objects are found again by their
 * addresses. The table of the tags is read as it lies in memory, which takes a small part of the
 * time that a walk of JVM TI takes: docs/heap-dump.md. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_sites.h"
#include <sys/mman.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_share.h"
#include "agent/frozen/frozen.h"
#include "agent/frozen/frozen_child.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/pages.h"
#include "heapwalk/tag_reader.h"
#include "hotspot/layout.h"
#include "options/options_testing.h"
#include "safe/mem_self.h"

enum {
    TEST_WALK = 4,      /* of dumptest= */
    PROGRESS = 1 << 12, /* objects after which it is seen that there is progress */
    AHEAD = 32,         /* sites whose places are on their way into the cache; a power of two */
};

void frozen_sites_note(struct frozen *f, uint64_t object, int64_t tag)
{
    uint32_t row = alloc_share_row(tag);

    if (row && heap_has(&f->vm.heap, object))
        f->sites.rows[(object - f->vm.heap.low) >> 3] = row;
}

/* The sentinel says whether addresses and tags are what they are taken for. */
struct reading {
    struct frozen *frozen;
    uint64_t sentinel;
    int is_seen;
    struct {
        uint64_t object;
        int64_t tag;
    } coming[AHEAD];
    uint32_t at;
};

/* Objects come in no order: each place is written to when it has come from memory. */
static void note_later(struct reading *r, uint64_t object, int64_t tag)
{
    const struct frozen *f = r->frozen;
    uint32_t at = r->at++ % AHEAD;

    if (r->coming[at].object)
        frozen_sites_note(r->frozen, r->coming[at].object, r->coming[at].tag);
    r->coming[at].object = object;
    r->coming[at].tag = tag;
    if (r->at % PROGRESS == 0)
        frozen_child_progress(r->frozen, PROGRESS);
    if (object)
        __builtin_prefetch(&f->sites.rows[(object - f->vm.heap.low) >> 3], 1);
}

static void note(void *arg, uint64_t object, int64_t tag)
{
    struct reading *r = arg;

    object = heap_of_word(&r->frozen->vm.heap, object);
    if (!heap_has(&r->frozen->vm.heap, object))
        return;
    object = heap_resolve(&r->frozen->vm.heap, object);
    if (tag == FROZEN_VM_SENTINEL && object == r->sentinel)
        r->is_seen = 1;
    note_later(r, object, tag);
}

/* 1 if frozen_sites_read() will probably find the table, and has found it the last time. */
static bool table_is_expected(const struct frozen *f)
{
    return !f->sites.must_walk && options_testing_of(&f->agent->options)->dumptest != TEST_WALK &&
           tag_reader_expect(f->vm.target.mem, f->vm.target.layout->version,
                             (uint64_t)(uintptr_t)alloc_env()) == 0;
}

bool frozen_sites_wanted(const struct frozen *f)
{
    return f->with_sites && f->vm.can_fork && alloc_env();
}

static uint64_t rows_bytes(const struct frozen *f)
{
    return (f->vm.heap.high - f->vm.heap.low) / 8 * sizeof(*f->sites.rows);
}

/* The sites of objects are the tags of the environment that watches allocations. Where their table
 * cannot be read that environment walks, whose walk shows them. It is the slower one for the roots,
 * too: it looks for the tag of each of them among many. */
void frozen_sites_take(struct frozen *f)
{
    struct frozen_sites *s = &f->sites;

    s->walker = f->vm.jvmti;
    s->rows = frozen_sites_wanted(f) ? pages_map(rows_bytes(f)) : NULL;
    if (!frozen_sites_wanted(f))
        return;
    if (!s->rows)
        log_note("%s: no %llu MB for the sites of objects: it has none of them", f->use->what,
                 (unsigned long long)(rows_bytes(f) >> 20));
    else if ((*alloc_env())->SetTag(alloc_env(), f->vm.sentinel, FROZEN_VM_SENTINEL) ==
                 JVMTI_ERROR_NONE &&
             !table_is_expected(f) && !frozen_vm_is_copied(&f->vm)) /* whose walk moves things */
        s->walker = alloc_env();
}

void frozen_sites_forget(struct frozen *f)
{
    if (f->sites.rows)
        pages_unmap(f->sites.rows, rows_bytes(f));
    f->sites.rows = NULL;
}

bool frozen_sites_by_walk(const struct frozen *f)
{
    return f->sites.walker != f->vm.jvmti;
}

int frozen_sites_read(struct frozen *f)
{
    struct reading pair[2] = {
        {.frozen = f,
         .sentinel = heap_resolve(&f->vm.heap, frozen_vm_object(&f->vm, f->vm.sentinel))}};
    void *const args[] = {&pair[0], &pair[1]};
    int error, is_seen;

    pair[1] = pair[0];

    error = mem_self_open(MEM_SELF_HANDLER, 0);
    f->vm.target.mem = &mem_self;
    if (!error && options_testing_of(&f->agent->options)->dumptest != TEST_WALK)
        error = tag_reader_read(&mem_self, f->vm.target.layout->version,
                                (uint64_t)(uintptr_t)alloc_env(), note, args);
    for (int i = 0; i < 2 * AHEAD; i++)
        note_later(&pair[i / AHEAD], 0, 0);
    is_seen = pair[0].is_seen || pair[1].is_seen;
    mem_self_close();
    if (error || !is_seen) /* the pages are zero again */
        madvise(f->sites.rows, rows_bytes(f), MADV_DONTNEED);
    return is_seen ? error : E_FACT_MISSING;
}
