/*
 * debug_listen.c - see debug_listen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/debug_listen.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/headroom.h"
#include "command/cmd.h"
#include "command/end_signals.h"
#include "command/say.h"
#include "heapimage/heapimage.h"
#include "heapwalk/heap.h"
#include "jdwp/jdwp_serve.h"
#include "jdwp/jdwp_vm.h"
#include "jvm/asking.h"
#include "jvm/max_stop.h"
#include "jvm/outside.h"
#include "mem/mem_stop.h"
#include "process/process.h"
#include "safe/clock.h"
#include "snapshot/snapshot_live.h"

enum {
    FRAMES_MAX = 100000,
    RANKS = 3,      /* of pages that snapshot_live_look() has found */
    GRAPH_RATE = 4, /* nanoseconds for a byte of heap that is copied and searched: a slow machine */
    DESCRIPTION = 256,
};

struct state {
    const struct debug_listen *how;
    struct outside_vm *outside;
    struct snapshot snapshot;
    struct jdwp_vm vm;
    struct jdwp_serve serve;
    char description[DESCRIPTION];
    bool is_open; /* `snapshot` and `vm` show the JVM */
    bool is_held; /* the process stands; `stop` says by what, unless it is frozen */
    bool is_frozen;
    bool has_failed;
    struct mem_stop stop;
    struct mem_stop_bound bound;
    struct heapimage heap;
    bool has_heap, has_no_heap;
    const volatile sig_atomic_t *is_ending;
};

/* ---- the graph of the heap, when it is first asked for */

static bool is_bound_over(void *with)
{
    struct state *s = with;
    return s->is_held && mem_stop_bound_is_over(&s->bound, clock_monotonic_ns());
}

/* Whether the search would take longer than the process may stand, or more memory than there is. */
static const char *refuse_graph(struct state *s)
{
    struct headroom room = {.count = 0};
    uint64_t used = s->heap.used_bytes, now = clock_monotonic_ns(),
             end = s->bound.begin_ns + s->bound.most_ns;
    if (s->outside->is_core)
        return NULL;
    if (s->bound.most_ns != 0 && (now >= end || used * GRAPH_RATE > end - now))
        return "a search of the whole heap would take longer than the process may stand still: use "
               "a longer --max-stop, or --max-stop none";
    headroom_open(&room, "/proc");
    const char *lack = headroom_lacks(&room, used + used / 8, 0);
    headroom_close(&room);
    return lack;
}

static int read_heap(struct state *s)
{
    struct heapimage *h = &s->heap;
    int error = heapimage_open(h, &s->snapshot);
    if (!error)
        error = heapimage_collect(h);
    if (error)
        return error;
    h->why = refuse_graph(s);
    if (h->why)
        return E_LIMIT;
    h->why = "";
    if (s->outside->is_core) {
        error = heapimage_copy_of_core(h, &s->outside->core, s->outside->name);
    } else {
        error = heapimage_prepare(h);
        if (!error)
            error = heapimage_copy_of_live(h, &s->outside->live, is_bound_over, s);
    }
    if (!error && h->copy.missing > 0) {
        h->why = "a part of its heap is missing";
        error = E_VM_STATE;
    }
    if (!error)
        error = heapimage_find(h, false);
    /* The search may change its copy of the heap. Values are read where they are. */
    if (h->copy.rest)
        s->snapshot.target.mem = h->copy.rest;
    return error;
}

/* The `graph` of struct jdwp_vm. */
static struct heapimage *graph_of(void *with)
{
    struct state *s = with;
    if (!s->has_heap && !s->has_no_heap) {
        int error = read_heap(s);
        s->has_heap = error == 0;
        s->has_no_heap = error != 0;
        if (error)
            say("%s: its objects cannot be searched: %s", s->outside->name,
                s->heap.why && *s->heap.why ? s->heap.why : err_text(error));
    }
    return s->has_heap ? &s->heap : NULL;
}

/* ---- the JVM that a debugger sees */

static bool can_read_heap(const struct state *s)
{
    struct heap heap;
    const char *why;
    return heap_open(&s->snapshot.target, &heap, &why) == 0;
}

static int open_vm(struct state *s)
{
    const char *missing = "";
    snprintf(s->description, sizeof(s->description),
             "hprof: reads %s %s, and can neither run nor change it",
             s->outside->is_core ? "the core" : "the stopped process", s->outside->name);
    snapshot_name_frames(&s->snapshot);
    s->vm = (struct jdwp_vm){.snapshot = &s->snapshot,
                             .description = s->description,
                             .graph = can_read_heap(s) ? graph_of : NULL,
                             .with = s};
    int error = jdwp_vm_open(&s->vm, &missing);
    if (!error && heapimage_is_in_gc(&s->snapshot))
        say("%s: it stands in the middle of a collection: objects that were being moved may have "
            "wrong values, or errors for them",
            s->outside->name);
    if (error)
        say("%s: %s%s%s", s->outside->name, err_text(error), *missing ? ": " : "", missing);
    return error;
}

static void close_vm(struct state *s)
{
    jdwp_vm_close(&s->vm);
    heapimage_close(&s->heap);
    snapshot_close(&s->snapshot);
    s->snapshot = (struct snapshot){0};
    s->is_open = s->has_heap = s->has_no_heap = false;
}

static int open_core(struct state *s)
{
    struct mem_core *core = &s->outside->core;
    const char *missing = "";
    int error = snapshot_open(&s->snapshot, &core->image, s->how->wants_virtuals, &missing);
    if (error) {
        outside_vm_say_core(s->outside->name, core, error, missing);
        return error;
    }
    s->snapshot.is_core = true;
    s->snapshot.pid = core->pid;
    s->snapshot.signal = core->signal;
    if (core->signal != 0)
        s->snapshot.crashed = &core->image.threads[0];
    error = snapshot_take(&s->snapshot, SNAPSHOT_JAVA, FRAMES_MAX);
    if (error)
        say("%s: %s", s->outside->name, err_text(error));
    if (!error)
        error = open_vm(s);
    if (core->is_cut)
        say("%s: the core was cut: what is not in it is an error for the debugger",
            s->outside->name);
    outside_vm_say_missing_files(s->outside->name, core);
    return error;
}

/* ---- a process that is held */

static void let_go(struct state *s)
{
    if (!s->is_held)
        return;
    s->is_held = false;
    if (s->is_frozen)
        return;
    uint64_t ns = mem_stop_end(&s->stop);
    say("%s: stood still for %s%s", s->outside->name, max_stop_text(ns),
        s->bound.was_over ? ", the bound of --max-stop: it goes on" : "");
}

/* The `is_over` of struct mem_live: from here on reads fail, and the conversation ends. */
static bool is_hold_over(void *with)
{
    struct state *s = with;
    if (s->is_held && is_bound_over(s))
        let_go(s);
    return !s->is_held;
}

static int hold(struct state *s)
{
    struct mem_live *live = &s->outside->live;
    s->bound = (struct mem_stop_bound){.most_ns = s->how->max_stop_ns};
    int error = mem_stop_all(live, &s->bound, &s->stop);
    s->is_frozen = error == -ETIMEDOUT && process_is_frozen(live->pid);
    if (error < 0 && !s->is_frozen) {
        outside_say_stop(s->outside->name, live->pid, error, &s->bound, false);
        return error;
    }
    s->is_held = true;
    live->is_over = is_hold_over;
    live->is_over_with = s;
    mem_live_age(live);
    for (unsigned rank = 0; rank < RANKS; rank++)
        mem_live_refresh(live, rank);
    return 0;
}

static int open_live(struct state *s)
{
    struct mem_live *live = &s->outside->live;
    const char *missing = "";
    int error = snapshot_open(&s->snapshot, &live->image, s->how->wants_virtuals, &missing);
    if (error) {
        outside_say_open_live(s->outside->name, live->pid, error, missing);
        return error;
    }
    s->snapshot.pid = live->pid;
    /* What the first look reads may be torn, so its errors do not count. */
    (void)snapshot_live_look(&s->snapshot, live, SNAPSHOT_JAVA, FRAMES_MAX);
    error = hold(s);
    if (error)
        return error;
    error = snapshot_take(&s->snapshot, SNAPSHOT_JAVA, FRAMES_MAX);
    if (error)
        say("%s: %s", s->outside->name, err_text(error));
    if (!error)
        error = open_vm(s);
    if (error)
        let_go(s);
    return error;
}

/* ---- the server */

static struct jdwp_vm *begin(void *with)
{
    struct state *s = with;
    if (!s->outside->is_core) {
        s->is_open = open_live(s) == 0;
        s->has_failed = !s->is_open;
    }
    if (s->is_open)
        say("%s: a debugger has connected%s", s->outside->name,
            s->outside->is_core ? "" : ", and the process stands still");
    return s->is_open ? &s->vm : NULL;
}

static bool end(void *with)
{
    struct state *s = with;
    let_go(s);
    return s->outside->is_core;
}

static bool is_over(void *with)
{
    struct state *s = with;
    return *s->is_ending || (s->is_open && !s->outside->is_core && is_hold_over(s));
}

static void tell(void *with, enum jdwp_serve_event event)
{
    struct state *s = with;
    const char *name = s->outside->name;
    switch (event) {
    case JDWP_SERVE_REFUSED:
        say("%s: a connection of another user was refused", name);
        break;
    case JDWP_SERVE_BUSY:
        say("%s: a second debugger was refused: one at a time", name);
        break;
    case JDWP_SERVE_LATE:
        say("%s: the connection was closed: nothing was taken or said there for too long", name);
        break;
    case JDWP_SERVE_STRANGE:
        say("%s: the connection was closed: what came there is not JDWP", name);
        break;
    default:
        say("%s: the debugger has gone", name);
    }
}

static void say_before(const struct state *s)
{
    uint64_t ns = s->how->max_stop_ns;
    if (s->outside->is_core)
        return;
    if (ns == 0)
        say("%s: will stand still as long as a debugger is connected, without a bound",
            s->outside->name);
    else
        say("%s: will stand still while a debugger is connected, for %s at most (--max-stop)",
            s->outside->name, max_stop_text(ns));
}

static int serve(struct state *s)
{
    char url[SERVE_PLACE_TEXT];
    if (s->outside->is_core) {
        s->is_open = open_core(s) == 0;
        if (!s->is_open)
            return CMD_FAILED;
    }
    int error = jdwp_serve_open(&s->serve);
    if (error < 0) {
        say("debug: --listen %s: %s", s->how->place, err_text(error));
        return CMD_FAILED;
    }
    /* A process that is held must be let go with the signals that came for it. */
    s->is_ending = end_signals_catch(false);
    serve_place_text(&s->serve.place, url);
    const char *at = strstr(url, "://");
    say_before(s);
    say_out("%s", at ? at + 3 : url);
    putchar('\n');
    fflush(stdout);
    error = jdwp_serve_run(&s->serve);
    if (error < 0)
        say("debug: %s", err_text(error));
    return error < 0 || s->has_failed ? CMD_FAILED : CMD_OK;
}

/* Says what is wrong with the command line. Returns an exit status. */
static int check(struct state *s)
{
    int error = serve_place_parse(s->how->place, &s->serve.place);
    if (error < 0 || serve_place_is_unix(&s->serve.place)) {
        say("debug: --listen '%s': an address and a port are wanted, as in 127.0.0.1:5005",
            s->how->place);
        return CMD_USAGE;
    }
    if (!jdwp_serve_is_safe(&s->serve.place)) {
        say("debug: --listen %s: only addresses of 127.0.0.0/8: a debugger has no password, and "
            "may "
            "read the whole heap; from another machine use ssh -L 5005:127.0.0.1:5005",
            s->how->place);
        return CMD_USAGE;
    }
    if (!s->outside->is_core && !s->how->may_stop) {
        say("%s: a debugger needs it to stand still, for %s at most: --stop permits that",
            s->outside->name,
            s->how->max_stop_ns == 0 ? "any time" : max_stop_text(s->how->max_stop_ns));
        return CMD_USAGE;
    }
    if (s->outside->is_core && s->how->may_stop) {
        say("debug: --stop is for processes: a core stands already");
        return CMD_USAGE;
    }
    return CMD_OK;
}

static int work(struct outside_vm *vm, void *with)
{
    struct state s = {.how = with, .outside = vm};
    s.serve = (struct jdwp_serve){
        .fd = -1, .begin = begin, .end = end, .is_over = is_over, .tell = tell, .with = &s};
    int status = check(&s);
    if (status == CMD_OK)
        status = serve(&s);
    jdwp_serve_close(&s.serve);
    let_go(&s);
    close_vm(&s);
    return status;
}

int debug_listen_run(const struct asking_line *line, const struct debug_listen *how)
{
    return asking_each_outside(line, work, (void *)(uintptr_t)how);
}
