/*
 * engine_io.c - event=io: each read, write, connect, accept and force that took long, with its file
 * or peer, its bytes and its stack.
 *
 * Hooks stand in the slots through which libraries call read(), send() and their like (io_hooks.h).
 * Java's own input and output goes through libnio, libnet and libjava, so one mechanism sees the
 * calls of Java and of native libraries, and each once. libjvm keeps its own slots: what the VM
 * reads and writes is not the program's. docs/io.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/io/io.h"
#include "agent/io/io_hooks.h"
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/vm_walk.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_io.h"
#include "safe/iohook.h"
#include "vm/vm.h"

enum { STOP_WAIT_MS = 2000 };

static struct io io;

static uint32_t depth_of(const struct options *o)
{
    return (uint32_t)(o->depth < TRACES_DEPTH_MAX ? o->depth : TRACES_DEPTH_MAX) +
           OWN_CLASS_FRAMES - 1;
}

/* ---- memory */

/* The table of threads is used for ever, so a later recording has that of the first one. */
static int map_threads(void)
{
    if (!iohook.walk.threads)
        iohook.walk.threads = pages_map(HOOKWALK_THREADS * sizeof(*iohook.walk.threads));
    return iohook.walk.threads ? 0 : -ENOMEM;
}

static int map_ring(uint64_t bytes)
{
    size_t longest = iohook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES);
    io.ring_bytes = (size_t)bytes;
    io.ring = pages_map(io.ring_bytes);
    if (!io.ring)
        return -ENOMEM;
    if (ring_init(&iohook.ring, io.ring, io.ring_bytes, longest))
        return 0;
    pages_unmap(io.ring, io.ring_bytes);
    io.ring = NULL;
    return E_LIMIT;
}

/* ---- the engine */

static void wake(void)
{
    bell_ring(&io.wake);
}

static int prepare(const struct options *o)
{
    int error = map_threads();
    if (!error)
        error = map_ring(budget_bytes(o->mem_bytes, BUDGET_IO_RING));
    if (error)
        log_error("event=io: %s",
                  error == E_LIMIT ? "mem= is too small: raise it" : "no memory: lower mem=");
    return error;
}

static int load(struct agent *a)
{
    io.agent = a;
    if (!own_tls_is_static()) {
        log_error("event=io: there is no room for thread-local variables that hooks may use; load "
                  "the agent when the VM starts");
        return E_UNSUPPORTED;
    }
    frame_native_refresh(); /* takes long; here the lock is not held */
    return 0;
}

static int retune(struct agent *a)
{
    const struct options_io *o = options_io_of(&a->options);
    uint64_t least_ns = o->threshold_ns[0];
    for (int i = 1; i < OPTIONS_IO_EVENTS; i++)
        if (o->threshold_ns[i] < least_ns)
            least_ns = o->threshold_ns[i];
    iohook.walk.depth = depth_of(&a->options);
    atomic_store(&iohook.per_second, o->rate < UINT32_MAX ? (uint32_t)o->rate : UINT32_MAX);
    atomic_store(&iohook.threshold_ns, least_ns);
    return 0;
}

/* An address in libjvm: one of the functions of its interface. */
static const void *address_in_vm(struct agent *a)
{
    const void *address;
    memcpy(&address, &(*a->vm.java)->GetEnv, sizeof(address));
    return address;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *why;
    if (vm_walk_open(a, &iohook.ring, &why) != 0) {
        log_error("event=io: stacks cannot be walked in this VM: %s", why);
        return E_UNSUPPORTED;
    }
    memset(iohook.walk.threads, 0, HOOKWALK_THREADS * sizeof(*iohook.walk.threads));
    iohook.walk.walker = vm_walk_mixed();
    iohook.pid = getpid();
    iohook.wake = wake;
    retune(a);
    io.imports =
        (struct imports){.rows = io_hooks, .row_count = io_hooks_count, .spared = address_in_vm(a)};
    io.stop = io.follows = false;
    io.running = true;
    io.thread_runs = agent_run_thread(a, env, "HPROF io thread", io_loop, &io) == 0;
    return 0;
}

/* The lock must not be held: the linker's lock is taken, and a library that is being loaded may
 * wait for the agent. */
static void ready(struct agent *a)
{
    if (!io.running)
        return;
    frame_native_refresh();
    atomic_store(&iohook.is_on, true);
    if (imports_patch(&io.imports) < 0)
        log_error("event=io: no memory for the list of libraries");
    atomic_store(&io.follows, true);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (io.running && vm->tid > 0 && vm->java_thread)
        hookwalk_add_thread(&iohook.walk, vm->tid, thread->serial, vm->java_thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    if (io.running && thread->vm->tid > 0 && thread->vm->java_thread)
        hookwalk_remove_thread(&iohook.walk, thread->vm->tid);
}

static int join(struct agent *a, struct recording *r)
{
    struct io_counts *c = &io.of[r->place];
    if (!io.running)
        return E_VM_STATE;
    io_drain(&io);
    *c = (struct io_counts){.unwalked_before = atomic_load(&iohook.walk.unwalked)};
    for (int why = 0; why < IO_WHYS; why++)
        c->before[why] = io_drain_look((enum io_why)why);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct io_counts *c = &io.of[r->place];
    const struct imports_counts *i = &io.imports.counts;
    const struct io_sums shorter = io_drain_of(&io, r->place, IO_SHORTER),
                         throttled = io_drain_of(&io, r->place, IO_THROTTLED),
                         lost = io_drain_of(&io, r->place, IO_LOST);
    const struct quality_count rows[] = {
        {QUALITY_IO_EVENTS, c->events},
        {QUALITY_IO_SHORTER, shorter.calls},
        {QUALITY_IO_SHORTER_TIME, shorter.ns},
        {QUALITY_IO_SHORTER_READ, shorter.read},
        {QUALITY_IO_SHORTER_WRITTEN, shorter.written},
        {QUALITY_IO_THROTTLED, throttled.calls},
        {QUALITY_IO_THROTTLED_TIME, throttled.ns},
        {QUALITY_IO_THROTTLED_READ, throttled.read},
        {QUALITY_IO_THROTTLED_WRITTEN, throttled.written},
        {QUALITY_IO_LOST, lost.calls},
        {QUALITY_IO_LOST_READ, lost.read},
        {QUALITY_IO_LOST_WRITTEN, lost.written},
        {QUALITY_IO_UNWALKED, atomic_load(&iohook.walk.unwalked) - c->unwalked_before},
        {QUALITY_IO_IMPORTS, i->slots},
        {QUALITY_IO_UNBOUND, i->unsure},
        {QUALITY_IO_UNHOOKED, (uint64_t)i->crowded + i->refused + i->unpinned},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!io.running)
        return;
    io_drain(&io);
    set_quality(r);
    recording_table(r, KIND_IO);
    recording_put_quality(r);
}

static void say(struct agent *a, struct recording *r)
{
    const struct io_counts *c = &io.of[r->place];
    struct io_sums shorter = io_drain_of(&io, r->place, IO_SHORTER);
    log_note("event=io: %llu call%s; %llu shorter ones, of %llu bytes read and %llu written; "
             "%llu lost",
             (unsigned long long)c->events, plural_s(c->events), (unsigned long long)shorter.calls,
             (unsigned long long)shorter.read, (unsigned long long)shorter.written,
             (unsigned long long)io_drain_of(&io, r->place, IO_LOST).calls);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    if (!io.running)
        return;
    io_drain(&io);
    snprintf(ret, ENGINE_STATUS, "calls=%llu calls_shorter=%llu io_lost=%llu",
             (unsigned long long)io.of[r->place].events,
             (unsigned long long)io_drain_of(&io, r->place, IO_SHORTER).calls,
             (unsigned long long)io_drain_of(&io, r->place, IO_LOST).calls);
}

static void stop(struct agent *a)
{
    if (!io.running)
        return;
    atomic_store(&iohook.is_on, false);
    io.stop = true;
    bell_ring(&io.wake);
    if (io.thread_runs && bell_wait(&io.stopped, STOP_WAIT_MS))
        io.thread_runs = false;
    if (io.thread_runs)
        log_error("event=io: its thread did not end in time: hooks stay, and pass through");
    else if (imports_restore(&io.imports) < 0)
        log_error("event=io: no memory for the list of libraries: hooks stay, and pass through");
}

static int release(struct agent *a, JNIEnv *env)
{
    if (io.running) {
        for (int ms = 0; ms < STOP_WAIT_MS && !iohook_is_quiet(); ms++)
            usleep(1000);
        if (io.thread_runs || !iohook_is_quiet()) {
            log_error("event=io: %s did not end in time", io.thread_runs ? "its thread" : "a hook");
            return -EBUSY;
        }
        vm_walk_close(&iohook.ring);
    }
    pages_unmap(io.ring, io.ring_bytes);
    io.ring = NULL;
    io.running = false;
    return 0;
}

const struct engine engine_io = {
    .name = "io",
    .help = "event=io: reads, writes and connects of files and sockets that took long",
    .begun = "input and output",
    .dumping = " input and output ...",
    .options = &options_io,
    .owns = {.counts = "io"},
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
