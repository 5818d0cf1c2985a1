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
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/engine.h"
#include "agent/hooking/hooking.h"
#include "agent/io/io.h"
#include "agent/io/io_hooks.h"
#include "agent/log.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/plural.h"
#include "options/options_io.h"
#include "safe/iohook.h"

static void wake(void);

static const struct hooking_row row = {
    .event = "event=io",
    .thread_name = "HPROF io thread",
    .hooks = &iohook.base,
    .wake = wake,
    .drain = io_drain,
    .take_in = io_drain_take_in,
};

static struct io io = {.hooking.row = &row};

static void wake(void)
{
    bell_ring(&io.hooking.wake);
}

static int prepare(const struct options *o)
{
    int error = hooking_map(&io.hooking, budget_bytes(o->mem_bytes, BUDGET_IO_RING),
                            iohook_sample_bytes(TRACES_DEPTH_MAX + OWN_CLASS_FRAMES));
    return error ? hooking_say_memory(&io.hooking, error) : 0;
}

static int load(struct agent *a)
{
    return hooking_load(&io.hooking, a);
}

static int retune(struct agent *a)
{
    const struct options_io *o = options_io_of(&a->options);
    uint64_t least_ns = o->threshold_ns[0];
    for (int i = 1; i < OPTIONS_IO_EVENTS; i++)
        if (o->threshold_ns[i] < least_ns)
            least_ns = o->threshold_ns[i];
    iohook.base.walk.depth = traces_walk_depth(&a->options);
    atomic_store(&iohook.per_second, o->rate < UINT32_MAX ? (uint32_t)o->rate : UINT32_MAX);
    atomic_store(&iohook.threshold_ns, least_ns);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    retune(a);
    return hooking_start(&io.hooking, env,
                         (struct imports){.rows = io_hooks,
                                          .row_count = io_hooks_count,
                                          .spared = hooking_in_vm(a)});
}

static void ready(struct agent *a)
{
    hooking_ready(&io.hooking);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    hooking_thread_start(&io.hooking, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    hooking_thread_end(&io.hooking, thread);
}

static int join(struct agent *a, struct recording *r)
{
    struct io_counts *c = &io.of[r->place];
    if (!io.hooking.running)
        return E_VM_STATE;
    io_drain(&io.hooking);
    hooking_join(&io.hooking, r);
    *c = (struct io_counts){.events = 0};
    for (int why = 0; why < IO_WHYS; why++)
        c->before[why] = io_drain_look((enum io_why)why);
    return 0;
}

static void set_quality(struct recording *r)
{
    const struct io_counts *c = &io.of[r->place];
    const struct imports_counts *i = &io.hooking.imports.counts;
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
        {QUALITY_IO_UNWALKED, hooking_unwalked(&io.hooking, r)},
        {QUALITY_IO_IMPORTS, i->slots},
        {QUALITY_IO_UNBOUND, i->unsure},
        {QUALITY_IO_UNHOOKED, hooking_unhooked(&io.hooking)},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
}

static void dump(struct agent *a, struct recording *r)
{
    if (!io.hooking.running)
        return;
    io_drain(&io.hooking);
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
    if (!io.hooking.running)
        return;
    io_drain(&io.hooking);
    snprintf(ret, ENGINE_STATUS, "calls=%llu calls_shorter=%llu io_lost=%llu",
             (unsigned long long)io.of[r->place].events,
             (unsigned long long)io_drain_of(&io, r->place, IO_SHORTER).calls,
             (unsigned long long)io_drain_of(&io, r->place, IO_LOST).calls);
}

static void stop(struct agent *a)
{
    hooking_stop(&io.hooking);
}

static int release(struct agent *a, JNIEnv *env)
{
    return hooking_release(&io.hooking);
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
