/*
 * heapdump_sites.c - in the child: which site each object is from.
 *
 * Sites are the tags of an environment (agent/alloc/alloc.h), and objects are found again by their
 * addresses. The table of the tags is read as it lies in memory, which takes a small part of the
 * time that a walk of JVM TI takes: docs/heap-dump.md. SPDX-License-Identifier: Apache-2.0
 */
#include <sys/mman.h>
#include "agent/alloc/alloc.h"
#include "agent/heapdump/heapdump.h"
#include "base/err.h"
#include "hotspot/layout.h"
#include "heapwalk/tag_reader.h"
#include "safe/mem_self.h"

enum {
    TEST_WALK = 4,      /* of dumptest= */
    PROGRESS = 1 << 12, /* objects after which it is seen that there is progress */
    AHEAD = 32,         /* sites whose places are on their way into the cache; a power of two */
};

void heapdump_sites_note(struct heapdump *d, uint64_t object, int64_t tag)
{
    if (tag > 0 && tag <= (int64_t)UINT32_MAX && heap_has(&d->heap, object))
        d->sites[(object - d->heap.low) >> 3] = (uint32_t)tag;
}

/* The sentinel says whether addresses and tags are what they are taken for. */
struct reading {
    struct heapdump *dump;
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
    const struct heapdump *d = r->dump;
    uint32_t at = r->at++ % AHEAD;

    if (r->coming[at].object)
        heapdump_sites_note(r->dump, r->coming[at].object, r->coming[at].tag);
    r->coming[at].object = object;
    r->coming[at].tag = tag;
    if (r->at % PROGRESS == 0)
        heapdump_child_progress(r->dump, PROGRESS);
    if (object)
        __builtin_prefetch(&d->sites[(object - d->heap.low) >> 3], 1);
}

static void note(void *arg, uint64_t object, int64_t tag)
{
    struct reading *r = arg;

    object = heap_of_word(&r->dump->heap, object);
    if (!heap_has(&r->dump->heap, object))
        return;
    object = heap_resolve(&r->dump->heap, object);
    if (tag == HEAPDUMP_SENTINEL && object == r->sentinel)
        r->is_seen = 1;
    note_later(r, object, tag);
}

int heapdump_sites_expect(const struct heapdump *d)
{
    return !d->must_walk && d->agent->options.dumptest != TEST_WALK &&
           tag_reader_expect(d->target.mem, d->target.layout->version,
                             (uint64_t)(uintptr_t)alloc_env()) == 0;
}

int heapdump_sites_read(struct heapdump *d)
{
    struct reading pair[2] = {
        {.dump = d, .sentinel = heap_resolve(&d->heap, heapdump_fork_object(d, d->sentinel))}};
    void *const args[] = {&pair[0], &pair[1]};
    int error, is_seen;

    pair[1] = pair[0];

    heapdump_child_settle(d);
    error = mem_self_open(MEM_SELF_HANDLER, 0);
    d->target.mem = &mem_self;
    if (!error && d->agent->options.dumptest != TEST_WALK)
        error = tag_reader_read(&mem_self, d->target.layout->version,
                                (uint64_t)(uintptr_t)alloc_env(), note, args);
    for (int i = 0; i < 2 * AHEAD; i++)
        note_later(&pair[i / AHEAD], 0, 0);
    is_seen = pair[0].is_seen || pair[1].is_seen;
    mem_self_close();
    if (error || !is_seen) /* the pages are zero again */
        madvise(d->sites, (d->heap.high - d->heap.low) / 8 * sizeof(*d->sites), MADV_DONTNEED);
    return is_seen ? error : E_FACT_MISSING;
}
