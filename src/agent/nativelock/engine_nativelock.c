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
#include <stdio.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/hooking/hooking.h"
#include "agent/log.h"
#include "agent/names/traces.h"
#include "agent/nativelock/nativelock.h"
#include "agent/nativelock/nativelock_hooks.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/plural.h"
#include "options/options_nativelock.h"
#include "safe/lockhook.h"

static void wake(void);

static const struct hooking_row row = {
    .event = "event=nativelock",
    .thread_name = "HPROF native lock thread",
    .hooks = &lockhook.base,
    .wake = wake,
    .drain = nativelock_drain,
    .take_in = nativelock_drain_take_in,
    .exempt = lockhook_exempt,
};

static struct nativelock locks = {.hooking.row = &row};

static void wake(void)
{
    bell_ring(&locks.hooking.wake);
}

static int prepare(const struct options *o)
{
    int error = hooking_map(&locks.hooking, budget_bytes(o->mem_bytes, BUDGET_LOCK_RING),
                            lockhook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES));
    return error ? hooking_say_memory(&locks.hooking, error) : 0;
}

static int load(struct agent *a)
{
    struct lockhook_range *vm = &lockhook.spared[0], *java = &lockhook.spared[1];
    imports_range(hooking_in_vm(a), NULL, &vm->low, &vm->high);
    imports_range(NULL, "/libjava.so", &java->low, &java->high);
    lockhook.has_owners = dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
    return hooking_load(&locks.hooking, a);
}

static int retune(struct agent *a)
{
    const struct options_nativelock *o = options_nativelock_of(&a->options);
    lockhook.base.walk.depth = traces_walk_depth(&a->options);
    atomic_store(&lockhook.with_vm, o->with_vm);
    atomic_store(&lockhook.threshold_ns, o->threshold_ns);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    retune(a);
    return hooking_start(
        &locks.hooking, env,
        (struct imports){.rows = nativelock_hooks, .row_count = nativelock_hooks_count});
}

static void ready(struct agent *a)
{
    hooking_ready(&locks.hooking);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    hooking_thread_start(&locks.hooking, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    hooking_thread_end(&locks.hooking, thread);
}

static int join(struct agent *a, struct recording *r)
{
    if (!locks.hooking.running)
        return E_VM_STATE;
    nativelock_drain(&locks.hooking);
    hooking_join(&locks.hooking, r);
    nativelock_drain_begin(&locks, r->place);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct nativelock_counts *c = &locks.of[r->place];
    const struct imports_counts *i = &locks.hooking.imports.counts;
    const struct nativelock_sum shorter = nativelock_drain_shorter(&locks, r->place),
                                lost = nativelock_drain_lost(&locks, r->place);
    const struct quality_count rows[] = {
        {QUALITY_NATIVELOCK_WAITS, c->waits},
        {QUALITY_NATIVELOCK_SHORTER, shorter.waits},
        {QUALITY_NATIVELOCK_SHORTER_TIME, shorter.ns},
        {QUALITY_NATIVELOCK_LOST, lost.waits},
        {QUALITY_NATIVELOCK_LOST_TIME, lost.ns},
        {QUALITY_NATIVELOCK_UNWALKED, hooking_unwalked(&locks.hooking, r)},
        {QUALITY_NATIVELOCK_IMPORTS, i->slots},
        {QUALITY_NATIVELOCK_UNBOUND, i->unsure},
        {QUALITY_NATIVELOCK_UNHOOKED, hooking_unhooked(&locks.hooking)},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!locks.hooking.running)
        return;
    nativelock_drain(&locks.hooking);
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
    if (!locks.hooking.running)
        return;
    nativelock_drain(&locks.hooking);
    snprintf(ret, ENGINE_STATUS,
             "native_waits=%llu native_waits_shorter=%llu native_waits_lost=%llu",
             (unsigned long long)locks.of[r->place].waits,
             (unsigned long long)nativelock_drain_shorter(&locks, r->place).waits,
             (unsigned long long)nativelock_drain_lost(&locks, r->place).waits);
}

static void stop(struct agent *a)
{
    hooking_stop(&locks.hooking);
}

static int release(struct agent *a, JNIEnv *env)
{
    return hooking_release(&locks.hooking);
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
