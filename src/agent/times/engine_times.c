/*
 * engine_times.c - cpu=times and cpu=old: how often each method is called, and how long it takes.
 *
 * Every method calls java.lang.Hprof_libhprof_Times (times_class.c) when it begins and when it
 * ends. This class keeps a tree of calls for each thread (times_tree.c), which a dump reads while
 * the threads go on (times_report.c). What is measured and what that costs: docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/names/methods.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/times/times_class.h"
#include "agent/times/times_cpu.h"
#include "agent/times/times_left.h"
#include "agent/times/times_repair.h"
#include "agent/times/times_report.h"
#include "agent/times/times_select.h"
#include "agent/times/times_tracker.h"
#include "agent/times/times_tree.h"
#include "agent/times/times_watch.h"
#include "base/err.h"
#include "base/headroom.h"
#include "base/plural.h"
#include "options/options_testing.h"
#include "options/options_times.h"
#include "safe/clock.h"
#include "vm/injector.h"
#include "vm/injector_later.h"
#include "vm/vm_event.h"
#include "vm/vm_flag.h"

enum {
    CALIBRATE_NS = 10000000, /* of CPU time, which delays the first table and the end */
    HEADROOM_PART = 16,
    TREES_MOST = 512 << 20,
    JDK_KEEPS_CODE = 23, /* the first JDK that keeps compiled code if an agent comes late */
};

static struct {
    const struct options_times *options;
    enum times_clock clock;
    size_t bytes;    /* for the trees */
    bool has_totals; /* cpu=old */
    bool runs;
    bool is_late;       /* begun in a running VM, and not ready yet */
    uint64_t under_way; /* calls that were open at a late start; they are counted nowhere */
    int jdk;
    bool is_apart; /* waits are told apart from work */
    struct times_report_cost cost;
    struct times_report_totals totals;       /* of the last table */
    uint64_t lost_before[TIMES_NODE_PLACES]; /* lost calls when a recording began, by its place */
} times;

/* ---- start */

/*
 * The memory for trees without mem=, which is more than a share of the default: whole paths of a
 * large program take some hundred MB, of which only the used part counts. A 16th of what the
 * process may still use does no harm.
 */
static size_t default_bytes(const struct options *o)
{
    uint64_t bytes = budget_bytes(o->mem_bytes, BUDGET_TREES), left;
    struct headroom headroom;
    headroom_open(&headroom, "/proc");
    left = headroom_left(&headroom) / HEADROOM_PART;
    headroom_close(&headroom);
    left = left < TREES_MOST ? left : TREES_MOST;
    return left > bytes ? left : bytes;
}

static size_t tree_bytes(const struct options *o)
{
    if (o->said.mem)
        return budget_bytes(o->mem_bytes, BUDGET_TREES);
    return times.bytes ? times.bytes : default_bytes(o);
}

static bool is_old(const struct options *o)
{
    return options_group_asked(o, &options_times) == OPTIONS_TIMES_OLD;
}

/*
 * Refuse a run with other settings: the tracker stays for the life of the VM, and its code was made
 * for one clock, one table and one size of the room.
 */
static int refuse_other(const struct options *o, enum times_clock clock)
{
    const char *what = clock != times.clock            ? "clock="
                       : is_old(o) != times.has_totals ? "cpu="
                       : tree_bytes(o) != times.bytes  ? "mem="
                                                       : NULL;
    if (options_testing_of(o)->timesboth)
        what = "timesboth=";
    if (what)
        log_error("cpu=times has run in this JVM with another %s, and can only run with the same "
                  "again",
                  what);
    return what ? E_UNSUPPORTED : 0;
}

static int prepare(const struct options *o)
{
    enum times_clock clock;
    int error = times_clock_choose(options_times_of(o)->clock, &clock);
    if (!error && times_tracker_class())
        error = refuse_other(o, clock);
    if (error)
        return error;
    times.clock = clock;
    times.bytes = tree_bytes(o);
    times.has_totals = is_old(o);
    const struct times_tree_config config = {
        .bytes = times.bytes,
        .methods = METHODS_MAX,
        .has_totals = times.has_totals,
        .now_of = times.clock == TIMES_CLOCK_CPU ? times_clock_now_of : NULL,
    };

    times.options = options_times_of(o);
    times.is_apart = !is_old(o) && times.clock != TIMES_CLOCK_NONE;
    if (methods_init() != 0 || times_tree_init(&config) != 0 ||
        (options_testing_of(o)->timesboth && times_watch_start(METHODS_MAX) != 0)) {
        log_error("no memory for the call trees: lower mem=");
        return -ENOMEM;
    }
    times_tree_set_per_thread(o->thread);
    return 0;
}

/* End the calls of the calling thread, which ends. */
static void end_thread(int64_t tid)
{
    struct times_block *b = times_tree_find(tid);
    int64_t now = b ? times_clock_now(&b->cpu) : 0;
    if (!b)
        return;
    times_watch_end(b, now);
    times_tree_end(tid, now);
}

static void on_virtual_end(void *data, JNIEnv *env, jthread thread)
{
    end_thread(times_tracker_tid(env, thread));
}

/* The clock of a virtual thread must not follow the clock of a carrier that the thread has left. */
static void on_mount(void *data, JNIEnv *env, jthread thread)
{
    struct times_block *b = times_tree_find(times_tracker_tid(env, thread));
    times_cpu_mount(b ? &b->cpu : NULL);
}

static void on_unmount(void *data, JNIEnv *env, jthread thread)
{
    struct times_block *b = times_tree_find(times_tracker_tid(env, thread));
    if (b)
        times_cpu_unmount(&b->cpu);
}

/* Used if there are virtual threads; the last two only for TIMES_CLOCK_CPU. */
static struct vm_event_subscriber on_virtuals[] = {
    {.event = VM_EVENT_VIRTUAL_END, .on.virtual_end = on_virtual_end},
    {.event = VM_EVENT_MOUNT, .on.mount = on_mount},
    {.event = VM_EVENT_UNMOUNT, .on.unmount = on_unmount},
};

static int start(struct agent *a, JNIEnv *env)
{
    uint32_t depth = times_report_depth(&a->options);
    times.jdk = a->vm.release;
    if (times_clock_start(times.clock) != 0) {
        log_error("clock=%s cannot be started: leave clock= out", times_clock_name(times.clock));
        return E_UNSUPPORTED;
    }
    const struct times_tracker_how how = {
        .clock = times.clock,
        .release = times.jdk,
        .has_totals = is_old(&a->options),
        .is_watched = options_testing_of(&a->options)->timesboth,
    };
    if (!times_tracker_class() && times_tracker_define(&a->vm, env, &how) != 0) {
        log_error("the class " TIMES_CLASS " cannot be defined: no cpu=times");
        return E_UNSUPPORTED;
    }
    bool is_checked = (a->attached || times.options->include[0] || times.options->exclude[0]) &&
                      times_repair_start(injector_env()) == 0;

    times_tracker_set_checked(is_checked);
    /*
     * The search for open calls without a frame must see new paths as new, so they need whole
     * paths.
     */
    if (!is_checked)
        times_tree_set_window(depth > 0 ? depth : 1);
    times_select_set((struct times_select){times.options, times.jdk, times.is_apart});
    if (vm_event_add(&on_virtuals[0], NULL) == 0 && times.clock == TIMES_CLOCK_CPU)
        vm_event_add_all(on_virtuals + 1, 2, NULL);
    times.is_late = a->attached;
    times.under_way = 0;
    times.runs = true;
    return 0;
}

/*
 * The JIT compilers must not inline methods that have probes. The limits are flags of the VM that
 * its compilers read at each call that they compile. Methods that are smaller have no probes and
 * are inlined as before, and so are methods that the VM's own classes force to be inlined. Source:
 * HotSpot bytecodeInfo.cpp, c1_GraphBuilder.cpp.
 *
 * A method with probes has ten bytes at least; exactly ten only if its number is below six.
 */
enum { INLINE_BYTES = 9 };

static const char *const inline_limits[] = {"MaxInlineSize", "FreqInlineSize", "C1MaxInlineSize"};

enum { INLINE_LIMITS = sizeof(inline_limits) / sizeof(inline_limits[0]) };

static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    times.is_late = false;
    if (!times.runs || !env)
        return;
    times_tree_sweep();
    if (!times.options->include[0] && !times.options->exclude[0])
        for (int i = 0; i < INLINE_LIMITS; i++)
            vm_flag_lower(inline_limits[i], INLINE_BYTES);
    if (a->attached && times.jdk < JDK_KEEPS_CODE)
        log_note("cpu=times: JDK %d throws all compiled code away when an agent that came late "
                 "changes classes; the program is slow until it is compiled again",
                 times.jdk);
    if (times.is_apart)
        times_tracker_bind_waits(env, true);
    if (injector_add(&times_select_user) != 0)
        log_error("too many engines change classes: no cpu=times");
}

/* ---- threads */

/*
 * Count the calls that are open at a late start. The tracker is not there yet, so all frames are
 * the program's.
 */
static void count_under_way(const struct agent *a, jthread thread)
{
    jint frames = 0;
    if ((*a->vm.main)->GetFrameCount(a->vm.main, thread, &frames) == JVMTI_ERROR_NONE)
        times.under_way += (uint64_t)frames;
}

static void thread_start(struct agent *a, struct thread *thread)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (!times.runs || !env || !thread->vm->ref)
        return;
    times_tree_thread(times_tracker_tid(env, thread->vm->ref), thread->id);
    if (times.is_late)
        count_under_way(a, thread->vm->ref);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (times.runs && env && thread->vm->ref) /* the agent's own threads have no block */
        end_thread(times_tracker_tid(env, thread->vm->ref));
}

/* ---- recordings */

_Static_assert((int)TIMES_NODE_PLACES == (int)AGENT_RECORDINGS, "one place for each");

static uint64_t lost_calls(const struct recording *r)
{
    return times_tree_lost() - times.lost_before[r->place];
}

/* Paths that were put together by the first recording's depth can never be told apart later. */
static int join(struct agent *a, struct recording *r)
{
    uint32_t depth = times_report_depth(&r->options), most = times_tree_window();
    if (depth > most) {
        log_error("cpu=times: a recording that runs has traces of %u method%s: say depth=%u or "
                  "less, or stop that one first",
                  most, plural_s(most), most);
        return E_VM_STATE;
    }
    if (times_tree_join(r->place, times_clock_now(NULL)) != 0) {
        log_error("no memory for another recording of method times");
        return -ENOMEM;
    }
    times_left_join(r->place);
    times.lost_before[r->place] = times_tree_lost();
    return 0;
}

static void part(struct agent *a, struct recording *r)
{
    times_tree_part(r->place);
}

static int retune(struct agent *a)
{
    times_tree_set_per_thread(a->options.thread);
    return 0;
}

/* ---- dumps */

/* How many loaded classes have no probes yet; their calls are not counted. */
static uint32_t classes_left(void)
{
    return injector_later_covered(&times_select_user).left;
}

static void set_quality(struct recording *r)
{
    const struct times_report_totals *t = &times.totals;
    const struct quality_count rows[] = {
        {QUALITY_TIMES_CALLS, t->calls},
        {QUALITY_TIMES_RAW, t->raw_ns / 1000},
        {QUALITY_TIMES_CORRECTED, t->corrected_ns / 1000},
        {QUALITY_TIMES_UNFINISHED_CALLS, t->open_calls},
        {QUALITY_TIMES_UNFINISHED, t->open_ns / 1000},
        {QUALITY_TIMES_WAITS, t->waits},
        {QUALITY_TIMES_WAITING, t->wait_ns / 1000},
        {QUALITY_TIMES_COST_INSIDE, (uint64_t)(t->cost.inside * 1000)},
        {QUALITY_TIMES_COST_OUTSIDE, (uint64_t)(t->cost.outside * 1000)},
        {QUALITY_TIMES_CPU_CLOCK, times.clock == TIMES_CLOCK_CPU},
        {QUALITY_TIMES_TREE_NODES, times_tree_nodes()},
        {QUALITY_TIMES_SHALLOW_CALLS, t->shallow_calls},
        {QUALITY_TIMES_LOST_CALLS, t->lost_calls + lost_calls(r)},
        {QUALITY_TIMES_METHODS, methods_count()},
        {QUALITY_TIMES_LEFT_ALONE, times_left_count()},
        {QUALITY_TIMES_INTRINSIC, times_left_count_of(INSTRUMENT_INTRINSIC)},
        {QUALITY_TIMES_CLASSES_REFUSED, times_select_user.refused + times_select_user.failed},
    };
    recording_set_qualities(r, rows, sizeof(rows) / sizeof(rows[0]));
    if (times.under_way)
        recording_set_quality(r, QUALITY_TIMES_UNDER_WAY, times.under_way);
    if (classes_left() > 0)
        recording_set_quality(r, QUALITY_TIMES_CLASSES_WAITING, classes_left());
}

static void tell_timings(struct agent *a, struct recording *r)
{
    uint32_t left_out = 0;
    if (times_timings_tell(a, r, &times.totals.cost, times_clock_unit_ns(), &left_out) != 0)
        log_error("no memory for the shortest and longest calls of methods");
    if (left_out > 0)
        log_note("cpu=times: no room for the shortest and longest calls of %u method%s; raise mem=",
                 left_out, plural_s(left_out));
}

/*
 * Measure the cost now, not at the start: it would make the start longer, and the compilers would
 * not have compiled the code yet.
 */
static void learn_cost(const struct agent *a, bool is_last)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (times.runs && env && times.clock != TIMES_CLOCK_NONE)
        times.cost = times_calibrate(env, CALIBRATE_NS, is_last, times.clock == TIMES_CLOCK_TICK);
}

static void dump(struct agent *a, struct recording *r)
{
    if (times.cost.inside + times.cost.outside <= 0)
        learn_cost(a, false);
    if (r->options.verbose) /* here, because the two kinds of tables have different words */
        log_piece(is_old(&a->options) ? " CPU usage in old prof format ..."
                                      : " CPU usage by timing methods ...");
    if (times_report_write(a, r, &times.cost, times.clock == TIMES_CLOCK_NONE, times.is_apart,
                           &times.totals) != 0)
        log_error("no memory for the table of method times");
    if (times.clock != TIMES_CLOCK_NONE && recording_can(r, WRITER_TIMINGS))
        tell_timings(a, r);
    if (!is_old(&a->options))
        times_left_write(r);
    set_quality(r);
    recording_put_quality(r);
    times_watch_write(times_clock_unit_ns(), times.totals.cost.inside, times.totals.cost.outside);
}

static void say(struct agent *a, struct recording *r)
{
    const struct times_report_totals *t = &times.totals;
    uint64_t lost = t->lost_calls + lost_calls(r);
    log_note("cpu=%s by clock %s: %llu call%s, %llu ms; %llu %s not ended, %llu %s not counted",
             is_old(&a->options) ? "old" : "times", times_clock_name(times.clock),
             (unsigned long long)t->calls, plural_s(t->calls),
             (unsigned long long)t->corrected_ns / NS_PER_MS, (unsigned long long)t->open_calls,
             plural_of(t->open_calls, "has", "have"), (unsigned long long)lost,
             plural_of(lost, "is", "are"));
    if (t->cost.inside + t->cost.outside <= 0 && times.cost.inside + times.cost.outside > 0)
        log_note(
            "cpu=times: what the agent's calls cost is not known, as the compilers had no time to "
            "take up what measures it: times are not corrected for it");
    if (t->shallow_calls > 0)
        log_note("cpu=times: room for paths of calls was short: %llu call%s counted without "
                 "their callers; raise mem=",
                 (unsigned long long)t->shallow_calls, plural_of(t->shallow_calls, " is", "s are"));
    if (classes_left() > 0)
        log_note("cpu=times: %u class%s that %s loaded before had not been changed yet: %s "
                 "calls are not counted; a longer recording has them, or include=",
                 classes_left(), plural_of(classes_left(), "", "es"),
                 plural_of(classes_left(), "was", "were"),
                 plural_of(classes_left(), "its", "their"));
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    snprintf(ret, ENGINE_STATUS, "methods=%u under_way=%llu lost_calls=%llu classes_left=%u",
             methods_count(), (unsigned long long)times.under_way,
             (unsigned long long)lost_calls(r), classes_left());
}

static void stop(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    injector_remove(&times_select_user);
    vm_event_remove_all(on_virtuals + 1, 2);
    if (times.runs && env && times.is_apart)
        times_tracker_bind_waits(env, false);
    learn_cost(a, true);
    if (options_testing_of(&a->options)->times_cost_ns > 0)
        times.cost.outside = (double)options_testing_of(&a->options)->times_cost_ns;
    if (!a->is_leaving)
        return;
    vm_event_remove(&on_virtuals[0]);
    for (int i = 0; i < INLINE_LIMITS; i++)
        vm_flag_restore(inline_limits[i]);
}

/*
 * The tracker and the trees stay: injected code that still runs, or in classes that wait for their
 * own code, may use them.
 */
static int release(struct agent *a, JNIEnv *env)
{
    times.runs = false;
    times_tree_rest();
    times_clock_stop();
    times_left_forget();
    times_select_user.failed = 0;
    times_select_user.refused = 0;
    times.totals = (struct times_report_totals){0};
    return 0;
}

static const struct engine_need needs[] = {
    {.what = VM_CAN_RETRANSFORM_CLASSES,
     .refused = "this VM does not let its classes be changed: no cpu=times"},
};

const struct engine engine_times = {
    .name = "times",
    .help = "cpu=times, cpu=old: calls and time of each method",
    .begun = "method times",
    .options = &options_times,
    .owns = {.needs = needs, .need_count = sizeof(needs) / sizeof(needs[0]), .counts = "times_"},
    .sharing = {.join = join, .part = part, .retune = retune},
    .prepare = prepare,
    .start = start,
    .ready = ready,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .dump = dump,
    .say = say,
    .stop = stop,
    .status = status,
    .release = release,
};
