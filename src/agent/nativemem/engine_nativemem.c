/*
 * engine_nativemem.c - event=nativemem: which stacks allocate native memory, and what of it was not
 * freed.
 *
 * Hooks stand in the slots through which libraries call malloc(), free() and their like
 * (nativemem_hooks.h). The VM is asked nothing in a hook: threads of the VM call malloc() with
 * their locks held. docs/native-memory.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/nativemem/nativemem.h"
#include "agent/nativemem/nativemem_hooks.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/vm_walk.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_nativemem.h"
#include "profile/tally.h"
#include "safe/clock.h"
#include "safe/memhook.h"

enum {
    STOP_WAIT_MS = 2000,
    SLOTS_LEAST = 4096,
    SLOTS_MOST = 1 << 22,
};

static struct nativemem nativemem;

static uint32_t depth_of(const struct options *o)
{
    return (uint32_t)(o->depth < TRACES_DEPTH_MAX ? o->depth : TRACES_DEPTH_MAX) +
           OWN_CLASS_FRAMES - 1;
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
    struct hookwalk_thread *threads = pages_map(HOOKWALK_THREADS * sizeof(*threads));
    n->blocks = pages_map(slots * sizeof(*n->blocks));
    if (!table || !threads || !n->blocks) {
        pages_unmap(table, blockset_bytes(slots));
        pages_unmap(threads, HOOKWALK_THREADS * sizeof(*threads));
        pages_unmap(n->blocks, slots * sizeof(*n->blocks));
        n->blocks = NULL;
        return -ENOMEM;
    }
    n->slots = slots;
    memhook.walk.threads = threads;
    blockset_init(&memhook.held, table, slots);
    return 0;
}

static int map_ring(struct nativemem *n, uint64_t bytes)
{
    size_t longest = memhook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES);
    n->ring_bytes = (size_t)bytes;
    n->ring = pages_map(n->ring_bytes);
    if (!n->ring)
        return -ENOMEM;
    if (ring_init(&memhook.ring, n->ring, n->ring_bytes, longest))
        return 0;
    pages_unmap(n->ring, n->ring_bytes);
    n->ring = NULL;
    return E_LIMIT;
}

/* ---- the engine */

static void wake(void)
{
    bell_ring(&nativemem.wake);
}

static int prepare(const struct options *o)
{
    struct nativemem *n = &nativemem;
    n->interval = options_nativemem_of(o)->interval_bytes;
    int error = map_table(n, budget_bytes(o->mem_bytes, BUDGET_BLOCKS));
    if (!error)
        error = map_ring(n, budget_bytes(o->mem_bytes, BUDGET_BLOCK_RING));
    if (error)
        log_error("event=nativemem: %s",
                  error == E_LIMIT ? "mem= is too small: raise it" : "no memory: lower mem=");
    return error;
}

static int load(struct agent *a)
{
    const char *sanitizer = imports_sanitizer();
    nativemem.agent = a;
    if (sanitizer) {
        log_error("event=nativemem: the program runs under %s, whose allocator is left alone",
                  sanitizer);
        return E_UNSUPPORTED;
    }
    if (!own_tls_is_static()) {
        log_error("event=nativemem: there is no room for thread-local variables that hooks may "
                  "use; load the agent when the VM starts");
        return E_UNSUPPORTED;
    }
    frame_native_refresh(); /* takes long; here the lock is not held */
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct nativemem *n = &nativemem;
    const char *why;
    if (vm_walk_open(a, &memhook.ring, &why) != 0) {
        log_error("event=nativemem: stacks cannot be walked in this VM: %s", why);
        return E_UNSUPPORTED;
    }
    memset(n->blocks, 0, n->slots * sizeof(*n->blocks));
    memset(memhook.walk.threads, 0, HOOKWALK_THREADS * sizeof(*memhook.walk.threads));
    blockset_clear(&memhook.held);
    memhook.walk.walker = vm_walk_mixed();
    memhook.walk.depth = depth_of(&a->options);
    memhook.pid = getpid();
    imports_own_range(&memhook.own_low, &memhook.own_high);
    memhook.wake = wake;
    atomic_store(&memhook.interval, n->interval);
    n->random = clock_monotonic_ns();
    n->imports = (struct imports){.rows = nativemem_hooks, .row_count = nativemem_hooks_count};
    n->freed_seen = 0;
    n->has_waiting = false;
    n->lost_told = atomic_load(&memhook.lost);
    n->stop = n->follows = false;
    n->running = true;
    n->thread_runs = agent_run_thread(a, env, "HPROF native memory thread", nativemem_loop, n) == 0;
    return 0;
}

/* The lock must not be held: the linker's lock is taken, and a library that is being loaded may
 * wait for the agent. */
static void ready(struct agent *a)
{
    struct nativemem *n = &nativemem;
    if (!n->running)
        return;
    frame_native_refresh();
    atomic_store(&memhook.is_on, true);
    if (imports_patch(&n->imports) < 0)
        log_error("event=nativemem: no memory for the list of libraries");
    atomic_store(&n->follows, true);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (nativemem.running && vm->tid > 0 && vm->java_thread)
        hookwalk_add_thread(&memhook.walk, vm->tid, thread->serial, vm->java_thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    if (nativemem.running && thread->vm->tid > 0 && thread->vm->java_thread)
        hookwalk_remove_thread(&memhook.walk, thread->vm->tid);
}

static int join(struct agent *a, struct recording *r)
{
    struct nativemem *n = &nativemem;
    if (!n->running)
        return E_VM_STATE;
    nativemem_drain(n);
    nativemem_drain_forget(n, r->place);
    n->of[r->place] = (struct nativemem_counts){0};
    n->unwalked_before[r->place] = atomic_load(&memhook.walk.unwalked);
    return 0;
}

static int retune(struct agent *a)
{
    nativemem.interval = options_nativemem_of(&a->options)->interval_bytes;
    memhook.walk.depth = depth_of(&a->options);
    atomic_store(&memhook.interval, nativemem.interval);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    const struct imports_counts *i = &nativemem.imports.counts;
    const struct quality_count rows[] = {
        {QUALITY_NATIVEMEM_INTERVAL, options_nativemem_of(&r->options)->interval_bytes},
        {QUALITY_NATIVEMEM_SAMPLES, c->samples},
        {QUALITY_NATIVEMEM_FREED, c->freed},
        {QUALITY_NATIVEMEM_THINNED, c->thinned},
        {QUALITY_NATIVEMEM_UNWATCHED, c->unwatched},
        {QUALITY_NATIVEMEM_LOST, c->lost},
        {QUALITY_NATIVEMEM_UNWALKED,
         atomic_load(&memhook.walk.unwalked) - nativemem.unwalked_before[r->place]},
        {QUALITY_NATIVEMEM_IMPORTS, i->slots},
        {QUALITY_NATIVEMEM_UNBOUND, i->unsure},
        {QUALITY_NATIVEMEM_UNHOOKED, (uint64_t)i->crowded + i->refused + i->unpinned},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!nativemem.running)
        return;
    nativemem_drain(&nativemem);
    set_quality(r);
    nativemem_drain_held(&nativemem, r);
    recording_table(r, KIND_MALLOC);
    recording_put_quality(r);
}

static void say(struct agent *a, struct recording *r)
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    log_note("event=nativemem: %llu block%s sampled, one in %llu bytes; %llu freed; %llu lost",
             (unsigned long long)c->samples, plural_s(c->samples),
             (unsigned long long)options_nativemem_of(&r->options)->interval_bytes,
             (unsigned long long)c->freed, (unsigned long long)c->lost);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct nativemem_counts *c = &nativemem.of[r->place];
    if (!nativemem.running)
        return;
    nativemem_drain(&nativemem);
    snprintf(ret, ENGINE_STATUS, "blocks=%llu freed=%llu nativemem_lost=%llu",
             (unsigned long long)c->samples, (unsigned long long)c->freed,
             (unsigned long long)c->lost);
}

static void stop(struct agent *a)
{
    struct nativemem *n = &nativemem;
    if (!n->running)
        return;
    atomic_store(&memhook.is_on, false);
    n->stop = true;
    bell_ring(&n->wake);
    if (n->thread_runs && bell_wait(&n->stopped, STOP_WAIT_MS))
        n->thread_runs = false;
    if (n->thread_runs)
        log_error("event=nativemem: its thread did not end in time: hooks stay, and pass through");
    else if (imports_restore(&n->imports) < 0)
        log_error("event=nativemem: no memory for the list of libraries: hooks stay, and pass "
                  "through");
}

static int release(struct agent *a, JNIEnv *env)
{
    struct nativemem *n = &nativemem;
    if (n->running) {
        for (int ms = 0; ms < STOP_WAIT_MS && !memhook_is_quiet(); ms++)
            usleep(1000);
        if (n->thread_runs || !memhook_is_quiet()) {
            log_error("event=nativemem: %s did not end in time",
                      n->thread_runs ? "its thread" : "a hook");
            return -EBUSY;
        }
        vm_walk_close(&memhook.ring);
    }
    pages_unmap(n->ring, n->ring_bytes);
    n->ring = NULL;
    n->running = false;
    return 0;
}

const struct engine engine_nativemem = {
    .name = "nativemem",
    .help = "event=nativemem: sampled native memory by stack trace, and what was not freed",
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
