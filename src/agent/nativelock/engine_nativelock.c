/*
 * engine_nativelock.c - event=nativelock: each wait for a lock of native code that took long, with
 * its stack, its lock, and the thread that had it.
 *
 * Hooks stand in the slots through which libraries call pthread_mutex_lock() and its like
 * (nativelock_hooks.h). They also stand in libjvm, whose own locks are such mutexes. The waits of
 * the VM for a condition or a semaphore are left out if they are not asked for: threads of the VM
 * wait so for work, and Java threads that park, sleep, or wait for a monitor.
 * docs/native-locks.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
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
#include "agent/nativelock/nativelock.h"
#include "agent/nativelock/nativelock_hooks.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/vm_walk.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_nativelock.h"
#include "safe/lockhook.h"

enum { STOP_WAIT_MS = 2000 };

static struct nativelock locks;

static uint32_t depth_of(const struct options *o)
{
    return (uint32_t)(o->depth < TRACES_DEPTH_MAX ? o->depth : TRACES_DEPTH_MAX) +
           OWN_CLASS_FRAMES - 1;
}

/* ---- memory */

/* The table of threads is used for ever, so a later recording has that of the first one. */
static int map_threads(void)
{
    if (!lockhook.walk.threads)
        lockhook.walk.threads = pages_map(HOOKWALK_THREADS * sizeof(*lockhook.walk.threads));
    return lockhook.walk.threads ? 0 : -ENOMEM;
}

static int map_ring(uint64_t bytes)
{
    size_t longest = lockhook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES);
    locks.ring_bytes = (size_t)bytes;
    locks.ring = pages_map(locks.ring_bytes);
    if (!locks.ring)
        return -ENOMEM;
    if (ring_init(&lockhook.ring, locks.ring, locks.ring_bytes, longest))
        return 0;
    pages_unmap(locks.ring, locks.ring_bytes);
    locks.ring = NULL;
    return E_LIMIT;
}

/* ---- the libraries whose idle waits are left out */

static bool is_named(const char *path, const char *name)
{
    size_t len = strlen(path), n = strlen(name);
    return len >= n && strcmp(path + len - n, name) == 0;
}

/* Notes the addresses of the VM's library, which holds the address `arg`, and of libjava. */
static int see_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    uint64_t in_vm = *(const uint64_t *)arg;
    struct lockhook_range r = {UINT64_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        r.low = low < r.low ? low : r.low;
        r.high = high > r.high ? high : r.high;
    }
    if (in_vm >= r.low && in_vm < r.high)
        lockhook.spared[0] = r;
    else if (info->dlpi_name && is_named(info->dlpi_name, "/libjava.so"))
        lockhook.spared[1] = r;
    return 0;
}

/* ---- the engine */

static void wake(void)
{
    bell_ring(&locks.wake);
}

static int prepare(const struct options *o)
{
    int error = map_threads();
    if (!error)
        error = map_ring(budget_bytes(o->mem_bytes, BUDGET_LOCK_RING));
    if (error)
        log_error("event=nativelock: %s",
                  error == E_LIMIT ? "mem= is too small: raise it" : "no memory: lower mem=");
    return error;
}

static int load(struct agent *a)
{
    uint64_t in_vm;
    locks.agent = a;
    if (!own_tls_is_static()) {
        log_error("event=nativelock: there is no room for thread-local variables that hooks may "
                  "use; load the agent when the VM starts");
        return E_UNSUPPORTED;
    }
    memcpy(&in_vm, &(*a->vm.java)->GetEnv, sizeof(in_vm));
    dl_iterate_phdr(see_library, &in_vm);
    lockhook.has_owners = dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
    frame_native_refresh(); /* takes long; here the lock is not held */
    return 0;
}

static int retune(struct agent *a)
{
    const struct options_nativelock *o = options_nativelock_of(&a->options);
    lockhook.walk.depth = depth_of(&a->options);
    atomic_store(&lockhook.with_vm, o->with_vm);
    atomic_store(&lockhook.threshold_ns, o->threshold_ns);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *why;
    if (vm_walk_open(a, &lockhook.ring, &why) != 0) {
        log_error("event=nativelock: stacks cannot be walked in this VM: %s", why);
        return E_UNSUPPORTED;
    }
    memset(lockhook.walk.threads, 0, HOOKWALK_THREADS * sizeof(*lockhook.walk.threads));
    lockhook.walk.walker = vm_walk_mixed();
    lockhook.pid = getpid();
    lockhook.wake = wake;
    retune(a);
    locks.imports = (struct imports){.rows = nativelock_hooks, .row_count = nativelock_hooks_count};
    locks.stop = locks.follows = false;
    locks.running = true;
    locks.thread_runs =
        agent_run_thread(a, env, "HPROF native lock thread", nativelock_loop, &locks) == 0;
    return 0;
}

/* The lock must not be held: the linker's lock is taken, and a library that is being loaded may
 * wait for the agent. */
static void ready(struct agent *a)
{
    if (!locks.running)
        return;
    frame_native_refresh();
    atomic_store(&lockhook.is_on, true);
    if (imports_patch(&locks.imports) < 0)
        log_error("event=nativelock: no memory for the list of libraries");
    atomic_store(&locks.follows, true);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (locks.running && vm->tid > 0 && vm->java_thread)
        hookwalk_add_thread(&lockhook.walk, vm->tid, thread->serial, vm->java_thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    if (locks.running && thread->vm->tid > 0 && thread->vm->java_thread)
        hookwalk_remove_thread(&lockhook.walk, thread->vm->tid);
}

static int join(struct agent *a, struct recording *r)
{
    if (!locks.running)
        return E_VM_STATE;
    nativelock_drain(&locks);
    nativelock_drain_begin(&locks, r->place);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct nativelock_counts *c = &locks.of[r->place];
    const struct imports_counts *i = &locks.imports.counts;
    const struct nativelock_sum shorter = nativelock_drain_shorter(&locks, r->place),
                                lost = nativelock_drain_lost(&locks, r->place);
    const struct quality_count rows[] = {
        {QUALITY_NATIVELOCK_WAITS, c->waits},
        {QUALITY_NATIVELOCK_SHORTER, shorter.waits},
        {QUALITY_NATIVELOCK_SHORTER_TIME, shorter.ns},
        {QUALITY_NATIVELOCK_LOST, lost.waits},
        {QUALITY_NATIVELOCK_LOST_TIME, lost.ns},
        {QUALITY_NATIVELOCK_UNWALKED, atomic_load(&lockhook.walk.unwalked) - c->unwalked_before},
        {QUALITY_NATIVELOCK_IMPORTS, i->slots},
        {QUALITY_NATIVELOCK_UNBOUND, i->unsure},
        {QUALITY_NATIVELOCK_UNHOOKED, (uint64_t)i->crowded + i->refused + i->unpinned},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!locks.running)
        return;
    nativelock_drain(&locks);
    set_quality(r);
    recording_table(r, KIND_NATIVE_LOCK);
    recording_put_quality(r);
}

static void say(struct agent *a, struct recording *r)
{
    uint64_t waits = locks.of[r->place].waits;
    log_note("event=nativelock: %llu wait%s; %llu shorter ones; %llu lost",
             (unsigned long long)waits, plural_s(waits),
             (unsigned long long)nativelock_drain_shorter(&locks, r->place).waits,
             (unsigned long long)nativelock_drain_lost(&locks, r->place).waits);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    if (!locks.running)
        return;
    nativelock_drain(&locks);
    snprintf(ret, ENGINE_STATUS,
             "native_waits=%llu native_waits_shorter=%llu native_waits_lost=%llu",
             (unsigned long long)locks.of[r->place].waits,
             (unsigned long long)nativelock_drain_shorter(&locks, r->place).waits,
             (unsigned long long)nativelock_drain_lost(&locks, r->place).waits);
}

static void stop(struct agent *a)
{
    if (!locks.running)
        return;
    atomic_store(&lockhook.is_on, false);
    locks.stop = true;
    bell_ring(&locks.wake);
    if (locks.thread_runs && bell_wait(&locks.stopped, STOP_WAIT_MS))
        locks.thread_runs = false;
    if (locks.thread_runs)
        log_error("event=nativelock: its thread did not end in time: hooks stay, and pass through");
    else if (imports_restore(&locks.imports) < 0)
        log_error("event=nativelock: no memory for the list of libraries: hooks stay, and pass "
                  "through");
}

static int release(struct agent *a, JNIEnv *env)
{
    if (locks.running) {
        for (int ms = 0; ms < STOP_WAIT_MS && !lockhook_is_quiet(); ms++)
            usleep(1000);
        if (locks.thread_runs || !lockhook_is_quiet()) {
            log_error("event=nativelock: %s did not end in time",
                      locks.thread_runs ? "its thread" : "a hook");
            return -EBUSY;
        }
        vm_walk_close(&lockhook.ring);
    }
    pages_unmap(locks.ring, locks.ring_bytes);
    locks.ring = NULL;
    locks.running = false;
    return 0;
}

const struct engine engine_nativelock = {
    .name = "nativelock",
    .help = "event=nativelock: waits for locks of native code: mutexes, conditions, semaphores",
    .begun = "native locks",
    .dumping = " native locks ...",
    .options = &options_nativelock,
    .owns = {.counts = "nativelock"},
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
