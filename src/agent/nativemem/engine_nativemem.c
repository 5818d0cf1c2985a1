/*
 * engine_nativemem.c - event=nativemem: which stacks allocate and map native memory, and what of it
 * was not freed or unmapped.
 *
 * Hooks stand in the slots through which libraries call malloc(), free(), mmap(), munmap() and
 * their like (nativemem_hooks.h). The VM is asked nothing in a hook: threads of the VM call
 * malloc() with their locks held. docs/native-memory.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/hooking/hooking.h"
#include "agent/log.h"
#include "agent/names/traces.h"
#include "agent/nativemem/nativemem.h"
#include "agent/nativemem/nativemem_hooks.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_nativemem.h"
#include "profile/tally.h"
#include "safe/clock.h"
#include "safe/memhook.h"

enum {
    SLOTS_LEAST = 4096,
    SLOTS_MOST = 1 << 22,
    RANGES_LEAST = 1024,
};

static void wake(void);

static const struct hooking_row row = {
    .event = "event=nativemem",
    .thread_name = "HPROF native memory thread",
    .hooks = &memhook.base,
    .wake = wake,
    .drain = nativemem_drain,
    .take_in = nativemem_drain_take_in,
    .exempt = memhook_exempt,
};

static struct nativemem nativemem = {.hooking.row = &row};

static void wake(void)
{
    bell_ring(&nativemem.hooking.wake);
}

/* ---- memory */

/* The table of blocks is used for ever, so a later recording has the table of the first one. */
static int map_table(struct nativemem *n, uint64_t bytes)
{
    uint32_t slots = SLOTS_LEAST;
    size_t each =
        sizeof(struct nativemem_block) + blockset_bytes(BLOCKSET_BUCKET) / BLOCKSET_BUCKET;
    if (n->blocks)
        return 0;
    while (slots < SLOTS_MOST && (uint64_t)slots * 2 * each <= bytes)
        slots *= 2;
    void *table = pages_map(blockset_bytes(slots));
    n->blocks = pages_map(slots * sizeof(*n->blocks));
    if (!table || !n->blocks) {
        pages_unmap(table, blockset_bytes(slots));
        pages_unmap(n->blocks, slots * sizeof(*n->blocks));
        n->blocks = NULL;
        return -ENOMEM;
    }
    n->slots = slots;
    blockset_init(&memhook.held, table, slots);
    return 0;
}

static int map_ranges(struct nativemem_ranges *t, uint64_t bytes)
{
    if (t->rows)
        return 0;
    t->room = (uint32_t)(bytes / sizeof(*t->rows)) + RANGES_LEAST;
    t->rows = pages_map(t->room * sizeof(*t->rows));
    return t->rows ? 0 : -ENOMEM;
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    struct nativemem *n = &nativemem;
    n->interval = options_nativemem_of(o)->interval_bytes;
    int error = map_table(n, budget_bytes(o->mem_bytes, BUDGET_BLOCKS));
    if (!error)
        error = map_ranges(&n->ranges, budget_bytes(o->mem_bytes, BUDGET_RANGES));
    if (!error)
        error = hooking_map(&n->hooking, budget_bytes(o->mem_bytes, BUDGET_BLOCK_RING),
                            memhook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES));
    return error ? hooking_say_memory(&n->hooking, error) : 0;
}

static int load(struct agent *a)
{
    const char *sanitizer = imports_sanitizer();
    if (sanitizer) {
        log_error("event=nativemem: the program runs under %s, whose allocator is left alone",
                  sanitizer);
        return E_UNSUPPORTED;
    }
    return hooking_load(&nativemem.hooking, a);
}

static int start(struct agent *a, JNIEnv *env)
{
    struct nativemem *n = &nativemem;
    memset(n->blocks, 0, n->slots * sizeof(*n->blocks));
    blockset_clear(&memhook.held);
    n->ranges.count = 0;
    memhook.base.walk.depth = traces_walk_depth(&a->options);
    imports_range(&memhook, NULL, &memhook.own_low, &memhook.own_high);
    atomic_store(&memhook.interval, n->interval);
    n->random = clock_monotonic_ns();
    n->freed_seen = 0;
    n->has_waiting = false;
    n->lost_told = n->lost_before = atomic_load(&memhook.lost);
    return hooking_start(
        &n->hooking, env,
        (struct imports){.rows = nativemem_hooks, .row_count = nativemem_hooks_count});
}

static void ready(struct agent *a)
{
    hooking_ready(&nativemem.hooking);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    hooking_thread_start(&nativemem.hooking, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    hooking_thread_end(&nativemem.hooking, thread);
}

static int join(struct agent *a, struct recording *r)
{
    struct nativemem *n = &nativemem;
    if (!n->hooking.running)
        return E_VM_STATE;
    nativemem_drain(&n->hooking);
    nativemem_drain_forget(n, r->place);
    n->of[r->place] = (struct nativemem_counts){0};
    hooking_join(&n->hooking, r);
    return 0;
}

static int retune(struct agent *a)
{
    nativemem.interval = options_nativemem_of(&a->options)->interval_bytes;
    memhook.base.walk.depth = traces_walk_depth(&a->options);
    atomic_store(&memhook.interval, nativemem.interval);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    const struct imports_counts *i = &nativemem.hooking.imports.counts;
    const struct quality_count rows[] = {
        {QUALITY_NATIVEMEM_INTERVAL, options_nativemem_of(&r->options)->interval_bytes},
        {QUALITY_NATIVEMEM_SAMPLES, c->samples},
        {QUALITY_NATIVEMEM_FREED, c->freed},
        {QUALITY_NATIVEMEM_THINNED, c->thinned},
        {QUALITY_NATIVEMEM_UNWATCHED, c->unwatched},
        {QUALITY_NATIVEMEM_LOST, c->lost},
        {QUALITY_NATIVEMEM_MAPPINGS, c->mappings},
        {QUALITY_NATIVEMEM_MAPPINGS_UNWATCHED, c->mappings_unwatched},
        {QUALITY_NATIVEMEM_UNWALKED, hooking_unwalked(&nativemem.hooking, r)},
        {QUALITY_NATIVEMEM_IMPORTS, i->slots},
        {QUALITY_NATIVEMEM_UNBOUND, i->unsure},
        {QUALITY_NATIVEMEM_UNHOOKED, hooking_unhooked(&nativemem.hooking)},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!nativemem.hooking.running)
        return;
    nativemem_drain(&nativemem.hooking);
    set_quality(r);
    nativemem_drain_held(&nativemem, r);
    recording_table(r, KIND_MALLOC);
    recording_table(r, KIND_MAP);
    recording_put_quality(r);
}

static void say(struct agent *a, struct recording *r)
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    log_note(
        "event=nativemem: %llu block%s sampled, one in %llu bytes; %llu freed; %llu mapping%s; "
        "%llu lost",
        (unsigned long long)c->samples, plural_s(c->samples),
        (unsigned long long)options_nativemem_of(&r->options)->interval_bytes,
        (unsigned long long)c->freed, (unsigned long long)c->mappings, plural_s(c->mappings),
        (unsigned long long)c->lost);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    if (!nativemem.hooking.running)
        return;
    nativemem_drain(&nativemem.hooking);
    snprintf(ret, ENGINE_STATUS, "blocks=%llu freed=%llu mappings=%llu nativemem_lost=%llu",
             (unsigned long long)c->samples, (unsigned long long)c->freed,
             (unsigned long long)c->mappings, (unsigned long long)c->lost);
}

static void stop(struct agent *a)
{
    hooking_stop(&nativemem.hooking);
}

static int release(struct agent *a, JNIEnv *env)
{
    return hooking_release(&nativemem.hooking);
}

const struct engine engine_nativemem = {
    .name = "nativemem",
    .help = "event=nativemem: native memory by stack trace, and what was not freed or unmapped",
    .begun = "native memory",
    .dumping = " native memory ...",
    .options = &options_nativemem,
    .owns = {.counts = "nativemem"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .ready = ready,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .say = say,
    .status = status,
    .stop = stop,
    .release = release,
};
