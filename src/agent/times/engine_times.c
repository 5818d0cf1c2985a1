/*
 * engine_times.c - cpu=times and cpu=old: how often each method is called, and how long it takes.
 *
 * Every method calls java.lang.Hprof_libhprof_Times (times_class.c) when it begins and ends; that
 * keeps a tree of calls for each thread (times_tree.c), which a dump reads while the threads go on
 * (times_report.c). What is measured and what it costs: docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/methods.h"
#include "agent/recording.h"
#include "agent/threads.h"
#include "agent/times/times_class.h"
#include "agent/times/times_cpu.h"
#include "agent/times/times_inline.h"
#include "agent/times/times_left.h"
#include "agent/times/times_repair.h"
#include "agent/times/times_report.h"
#include "agent/times/times_tree.h"
#include "agent/times/times_wait.h"
#include "agent/times/times_watch.h"
#include "base/arena.h"
#include "base/err.h"
#include "options/options_testing.h"
#include "options/options_times.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/method_filter.h"
#include "vm/tracker.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vmself.h"

enum {
    CLASS_BYTES_MAX = 1 << 20, /* of the tracker's class file while it is made */
    ROUND_CALLS = 1000,
    ROUNDS_MIN = 20,
    START_NS = 30000000, /* of CPU time for the calibration: the VM starts later by that, */
    STOP_NS = 10000000,  /* and ends later by that */
    COMPILED_PART = 16, /* compiled rounds take less than one part of so many of interpreted ones */
    PAUSES_MAX = 30,    /* for the compilers, */
    PAUSE_NS = 1000000, /* so long each */
    JDK_KEEPS_CODE = 23, /* the first that keeps compiled code when an agent came late */
};

static struct {
    const struct options_times *options;
    enum times_clock clock;
    size_t bytes;    /* of the trees */
    bool has_totals; /* cpu=old */
    jfieldID tid;    /* Thread.tid */
    jclass klass;    /* the tracker, a global reference, for good; NULL: not defined */
    bool runs;
    bool is_late;       /* begun in a running VM, and not ready yet */
    uint64_t under_way; /* calls that threads were in by then, which are counted nowhere */
    int jdk;
    pthread_t batch; /* changes the classes that are loaded at the start, */
    int is_batch;    /* if it is doing so */
    int is_apart;    /* waits are told apart from work */
    struct times_report_cost cost;
    double least_inside, least_all; /* ns of a call that does nothing */
    int is_calibrated;
    int is_checked; /* methods without probes may catch exceptions of those that have them */
    struct times_report_totals totals;       /* of the last table */
    uint64_t lost_before[TIMES_NODE_PLACES]; /* calls, when recordings began; by place */
} times;

/* ---- the tracker's native methods: they call nothing of the VM, but to repair */

static jlong JNICALL native_block(JNIEnv *env, jclass klass, jlong tid)
{
    return (jlong)(intptr_t)times_tree_block(tid);
}

static jlong JNICALL native_enter_slow(JNIEnv *env, jclass klass, jlong block, jint id)
{
    struct times_block *b = (struct times_block *)(intptr_t)block;
    struct times_node *n;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    int is_new = times.is_checked && times_tree_is_new(b, id);
    int64_t place;

    if (is_new)
        times_repair(env, b, id, sp, times_clock_now(&b->cpu));
    n = times_tree_callee(b, id);
    place = times_tree_enter(b, n, times_clock_now(&b->cpu));
    if (place && is_new)
        times_repair_entered(b, sp);
    if (place)
        times_watch_enter(b);
    return place;
}

static void unwind(struct times_block *b, int64_t place, int leaves)
{
    int64_t now = times_clock_now(&b->cpu);

    times_tree_unwind(b, place, leaves, now);
    times_watch_unwind(b, place, leaves, now);
}

static void JNICALL native_unwind(JNIEnv *env, jclass klass, jlong block, jlong place, jint leaves)
{
    struct times_block *b = (struct times_block *)(intptr_t)block;

    unwind(b, place, leaves);
}

static jlong JNICALL native_now(JNIEnv *env, jclass klass)
{
    return times_clock_now(NULL);
}

static jlong JNICALL native_now_of(JNIEnv *env, jclass klass, jlong block)
{
    return times_clock_now(&((struct times_block *)(intptr_t)block)->cpu);
}

/* Puts functions of ours before native methods that wait, or gives them back. */
static void JNICALL native_bind(JNIEnv *env, jclass klass, jint starts);

static void JNICALL native_entered(JNIEnv *env, jclass klass, jlong block)
{
    times_watch_enter((struct times_block *)(intptr_t)block);
}

static void JNICALL native_left(JNIEnv *env, jclass klass, jlong block, jlong place, jlong now)
{
    times_watch_unwind((struct times_block *)(intptr_t)block, place, 1, now);
}

static const JNINativeMethod natives[] = {
    {(char *)TIMES_CLASS_BIND, (char *)"(I)V", (void *)native_bind},
    {(char *)TIMES_CLASS_BLOCK, (char *)"(J)J", (void *)native_block},
    {(char *)TIMES_CLASS_ENTER_SLOW, (char *)"(JI)J", (void *)native_enter_slow},
    {(char *)TIMES_CLASS_UNWIND, (char *)"(JJI)V", (void *)native_unwind},
    {(char *)TIMES_CLASS_NOW, (char *)"()J", (void *)native_now},
    {(char *)TIMES_CLASS_ENTERED, (char *)"(J)V", (void *)native_entered},
    {(char *)TIMES_CLASS_LEFT, (char *)"(JJJ)V", (void *)native_left},
    {(char *)TIMES_CLASS_NOW_OF, (char *)"(J)J", (void *)native_now_of},
};

static const struct tracker tracker = {TIMES_CLASS, natives, sizeof(natives) / sizeof(natives[0])};

/* ---- which methods */

static struct method_filter filter(void)
{
    return (struct method_filter){times.options->include, times.options->exclude};
}

static bool is_wanted(struct cpool_utf8 class_name, struct cpool_utf8 name)
{
    struct method_filter f = filter();

    return method_filter_wants(&f, class_name.bytes, class_name.len, name.bytes, name.len);
}

static bool wants_class(const char *name)
{
    struct method_filter f = filter();

    return (times.is_apart && times_wait_has_class(name)) ||
           method_filter_wants_some(&f, name, strlen(name));
}

/* Whether an intrinsic of this class can be made a method like others. The tracker needs some. */
static int can_be_counted(struct cpool_utf8 class_name)
{
    static const char *const needed[] = {"java/lang/Object", "java/lang/System", "java/lang/Thread",
                                         "jdk/internal/misc/Unsafe"};

    if (!times.options->intrinsics || !times.is_batch || times.batch != pthread_self())
        return 0;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (cpool_utf8_is(class_name, needed[i]))
            return 0;
    return 1;
}

static int32_t add_method(const struct instrument_method *m)
{
    int32_t number = methods_add(m);

    return number >= 0 && times_tree_add_method(number) != 0 ? -1 : number;
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    enum times_left_intrinsic kind =
        times.jdk < RELEASE_INTERNAL_UNSAFE ? times_left_intrinsic_8(m) : TIMES_LEFT_NO_INTRINSIC;
    int waits = times.is_apart && times_wait_has(m);
    int32_t number;

    if (!waits && !is_wanted(m->class_name, m->name))
        return -1;
    if (m->advice == INSTRUMENT_INJECTED && kind != TIMES_LEFT_NO_INTRINSIC &&
        !(times.options->intrinsics && kind == TIMES_LEFT_CAN_BE_OFF)) {
        times_left_add(m->class_name, m->name, m->desc, INSTRUMENT_INTRINSIC);
        return -1;
    }
    if (m->advice != INSTRUMENT_INJECTED &&
        !(m->advice == INSTRUMENT_INTRINSIC && can_be_counted(m->class_name)))
        return -1;
    number = add_method(m);
    if (waits)
        times_wait_mark(number);
    return number;
}

static const struct instrument_probe probe = {
    .tracker = TIMES_CLASS,
    .kept = 'J',
    .enter_keep = TIMES_CLASS_ENTER,
    .exit_keep = TIMES_CLASS_EXIT,
    .caught = TIMES_CLASS_CAUGHT,
    .keep = INSTRUMENT_KEEP_ALL,
    .huge_bytes = INSTRUMENT_HUGE_BYTES,
    .select = select_method,
};

/* Spoils the annotations that allow the compilers to replace methods of the class: the name of
 * their type is a Utf8 constant. */
static void unmark(const struct instrument_result *r)
{
    static const char *const marks[] = {"Ljdk/internal/vm/annotation/IntrinsicCandidate;",
                                        "Ljdk/internal/HotSpotIntrinsicCandidate;"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        size_t len = strlen(marks[i]);
        char *at = memmem(r->bytes, r->len, marks[i], len);

        if (at && at - (const char *)r->bytes >= 3 && at[-3] == CPOOL_UTF8)
            at[len - 2] = '_';
    }
}

static void done(const struct instrument_result *r, const struct instrument_share *own)
{
    if (own->injected > 0 && times.jdk >= RELEASE_INTERNAL_UNSAFE && can_be_counted(r->class_name))
        unmark(r);
    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct instrument_row *row = &own->rows[i];

        if (row->verdict != INSTRUMENT_INJECTED && row->verdict != INSTRUMENT_NO_CODE &&
            row->verdict != INSTRUMENT_NOT_SELECTED && is_wanted(r->class_name, row->name))
            times_left_add(r->class_name, row->name, row->desc, row->verdict);
    }
}

/* ---- start */

static bool is_old(const struct options *o)
{
    return options_group_asked(o, &options_times) == OPTIONS_TIMES_OLD;
}

/* The tracker is there for good, and its code holds for one clock, one table and one room. */
static int refuse_other(const struct options *o, enum times_clock clock)
{
    const char *what = clock != times.clock                                      ? "clock="
                       : is_old(o) != times.has_totals                           ? "cpu="
                       : budget_bytes(o->mem_bytes, BUDGET_TREES) != times.bytes ? "mem="
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

    if (!error && times.klass)
        error = refuse_other(o, clock);
    if (error)
        return error;
    times.clock = clock;
    times.bytes = budget_bytes(o->mem_bytes, BUDGET_TREES);
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

/* Where Thread.tid lies in a Thread, as Unsafe counts it; -1 not known. */
static int64_t tid_offset(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass thread = vm_lookup_class(&l, "java/lang/Thread");
    int64_t at;

    times.tid = vm_lookup_field(&l, thread, "tid", "J");
    at = vm_lookup_offset(&l, times.jdk, thread, times.tid);
    return vm_lookup_end(&l) ? at : -1;
}

static int define_tracker(struct agent *a, JNIEnv *env)
{
    struct times_class_config config = {
        .table = times_tree_table(),
        .tick = times_clock_tick(),
        .tid_offset = tid_offset(env),
        .clock = times.clock,
        .is_jdk_8 = times.jdk < RELEASE_INTERNAL_UNSAFE,
        .has_totals = is_old(&a->options),
        .is_watched = options_testing_of(&a->options)->timesboth,
    };
    const uint8_t *bytes;
    struct arena arena;
    jclass klass = NULL;
    size_t len;

    if (config.tid_offset < 0)
        return -1;
    arena_init(&arena, CLASS_BYTES_MAX);
    if (times_class_make(&config, &arena, &bytes, &len) == 0 &&
        tracker_define(&a->vm, env, &tracker, bytes, len) == 0)
        klass = (*env)->FindClass(env, TIMES_CLASS);
    arena_done(&arena);
    times.klass = klass ? (*env)->NewGlobalRef(env, klass) : NULL;
    return times.klass ? 0 : -1;
}

static int64_t tid_of(JNIEnv *env, jthread thread)
{
    return (*env)->GetLongField(env, thread, times.tid);
}

/* The thread that calls this ends. */
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
    end_thread(tid_of(env, thread));
}

/* The clock of a virtual thread must not go on with that of the carrier that it has left. */
static void on_mount(void *data, JNIEnv *env, jthread thread)
{
    struct times_block *b = times_tree_find(tid_of(env, thread));

    times_cpu_mount(b ? &b->cpu : NULL);
}

static void on_unmount(void *data, JNIEnv *env, jthread thread)
{
    struct times_block *b = times_tree_find(tid_of(env, thread));

    if (b)
        times_cpu_unmount(&b->cpu);
}

/* Where there are virtual threads; the last two for times.clock == TIMES_CLOCK_CPU only. */
static struct vm_event_subscriber on_virtuals[] = {
    {.event = VM_EVENT_VIRTUAL_END, .on.virtual_end = on_virtual_end},
    {.event = VM_EVENT_MOUNT, .on.mount = on_mount},
    {.event = VM_EVENT_UNMOUNT, .on.unmount = on_unmount},
};

static void hear_virtuals(void)
{
    if (vm_event_add(&on_virtuals[0], NULL) == 0 && times.clock == TIMES_CLOCK_CPU)
        vm_event_add_all(on_virtuals + 1, 2, NULL);
}

static int start(struct agent *a, JNIEnv *env)
{
    uint32_t depth = times_report_depth(&a->options);

    times.jdk = a->vm.release;
    if (times_clock_start(times.clock) != 0) {
        log_error("clock=%s cannot be started: leave clock= out", times_clock_name(times.clock));
        return E_UNSUPPORTED;
    }
    if (!times.klass && define_tracker(a, env) != 0) {
        log_error("the class " TIMES_CLASS " cannot be defined: no cpu=times");
        return E_UNSUPPORTED;
    }
    times.is_checked = (a->attached || times.options->include[0] || times.options->exclude[0]) &&
                       times_repair_start(injector_env()) == 0;
    /* Who looks for calls that have no frame any more needs to see new paths as such. */
    if (!times.is_checked)
        times_tree_set_window(depth > 0 ? depth : 1);
    hear_virtuals();
    times.is_late = a->attached;
    times.under_way = 0;
    times.runs = true;
    return 0;
}

/* ---- calibration */

/* One round: what an injected call of an empty method costs, in it and in all. */
static int run_round(JNIEnv *env, jmethodID calibrate, const struct times_node *node,
                     double *ret_inside, double *ret_all)
{
    int64_t count = node->count, time = node->time;
    uint64_t began = clock_monotonic_ns(), ns;

    (*env)->CallStaticVoidMethod(env, times.klass, calibrate, (jint)ROUND_CALLS);
    ns = clock_monotonic_ns() - began;
    if (vm_lookup_clear(env) || node->count - count != ROUND_CALLS)
        return -1;
    *ret_inside = (double)(node->time - time) * times_clock_unit_ns() / ROUND_CALLS;
    *ret_all = (double)ns / ROUND_CALLS;
    return 0;
}

/*
 * The least of many rounds: by then the compilers are done. A round takes some tens of
 * microseconds, less than the scheduler leaves to a thread, so that of many most are uninterrupted,
 * also where others want the processor. CPU time would not do: what a hypervisor or an interrupt
 * took is subtracted from it later than it happened, and a round that seems short is the least.
 * Where others want the processor, the compilers get it only if this thread waits.
 */
static void calibrate(JNIEnv *env, uint64_t budget_ns)
{
    const struct timespec pause = {0, PAUSE_NS};
    int pauses = times.is_calibrated ? 0 : PAUSES_MAX;
    jmethodID method = (*env)->GetStaticMethodID(env, times.klass, TIMES_CLASS_CALIBRATE, "(I)V");
    uint64_t began = clock_thread_cpu_ns();
    struct times_block *block = NULL;
    const struct times_node *node = NULL;
    double inside, all, most = 0;
    jthread self = NULL;

    if (method && (*injector_env())->GetCurrentThread(injector_env(), &self) == JVMTI_ERROR_NONE)
        block = times_tree_block(tid_of(env, self));
    if (block)
        node = times_tree_callee(block, TIMES_PROBE);
    for (int i = 0; node && (i < ROUNDS_MIN || clock_thread_cpu_ns() - began < budget_ns); i++) {
        if (run_round(env, method, node, &inside, &all) != 0)
            break;
        if (!times.is_calibrated || all < times.least_all) {
            times.least_inside = inside;
            times.least_all = all;
            times.is_calibrated = 1;
        }
        most = all > most ? all : most;
        if (pauses > 0 && times.least_all * COMPILED_PART > most) {
            pauses--;
            nanosleep(&pause, NULL);
        }
    }
    inside = times.least_inside;
    if (times.clock == TIMES_CLOCK_TICK || inside > times.least_all)
        inside = times.least_all / 2; /* too coarse to tell */
    times.cost = (struct times_report_cost){inside, times.least_all - inside};
    vm_lookup_clear(env);
    (*env)->DeleteLocalRef(env, self);
}

/*
 * Intrinsics are counted if the compilers do not see them. JDK 8 has a flag for it. Later the VM
 * wants an annotation, and complains on the program's output where it misses one while its flag
 * CheckIntrinsics is on: so the flag is off while the loaded classes are changed, and classes that
 * come later keep theirs. Two optimisations do not ask.
 */
static void begin_batch(JNIEnv *env)
{
    times.batch = pthread_self();
    times.is_batch = 1;
    if (!times.options->intrinsics)
        return;
    if (times.jdk < RELEASE_INTERNAL_UNSAFE)
        vmself_set_text("DisableIntrinsic", times_left_ids_8);
    else
        vmself_turn_off("CheckIntrinsics");
    vmself_turn_off("OptimizeStringConcat");
    vmself_turn_off("EliminateAutoBox");
}

static void end_batch(JNIEnv *env)
{
    if (times.options->intrinsics && times.jdk >= RELEASE_INTERNAL_UNSAFE)
        vmself_turn_on("CheckIntrinsics");
    times.is_batch = 0;
}

static struct injector_user user = {
    .probe = &probe,
    .layer = INJECTOR_CALLS,
    .wants = wants_class,
    .done = done,
    .begin = begin_batch,
    .end = end_batch,
};

/* ---- native methods that wait */

static int64_t enter_wait(JNIEnv *env, int32_t number, void **ret_block)
{
    jthread self = NULL;
    struct times_block *b = NULL;

    if ((*injector_env())->GetCurrentThread(injector_env(), &self) == JVMTI_ERROR_NONE && self) {
        b = times_tree_block(tid_of(env, self));
        (*env)->DeleteLocalRef(env, self);
    }
    *ret_block = b;
    return b ? native_enter_slow(env, NULL, (jlong)(intptr_t)b, number) : 0;
}

static void leave_wait(void *block, int64_t place)
{
    struct times_block *b = block;

    unwind(b, place, 1);
}

static void JNICALL native_bind(JNIEnv *env, jclass klass, jint starts)
{
    static const struct times_wait_calls calls = {enter_wait, leave_wait};

    if (starts)
        times_wait_start(env, &calls, add_method);
    else
        times_wait_stop(env);
}

static void bind_waits(JNIEnv *env, int starts)
{
    struct vm_lookup l = vm_lookup_begin(env);

    vm_lookup_call_static(&l, times.klass,
                          vm_lookup_static_method(&l, times.klass, TIMES_CLASS_CALL_BIND, "(I)V"),
                          (jint)starts);
    vm_lookup_end(&l);
}

static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);

    times.is_late = false;
    if (!times.runs || !env)
        return;
    times_tree_sweep();
    if (!times.options->include[0] && !times.options->exclude[0])
        times_inline_stop();
    if (times.clock != TIMES_CLOCK_NONE)
        calibrate(env, START_NS);
    if (a->attached && times.jdk < JDK_KEEPS_CODE)
        log_note("cpu=times: JDK %d throws all compiled code away when an agent that came late "
                 "changes classes; the program is slow until it is compiled again",
                 times.jdk);
    if (times.is_apart)
        bind_waits(env, 1);
    if (injector_add(&user) != 0)
        log_error("too many engines change classes: no cpu=times");
}

/* ---- threads */

/* What was called before a late start. Trackers are not there yet, so all frames are the program's.
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
    times_tree_thread(tid_of(env, thread->vm->ref), thread->id);
    if (times.is_late)
        count_under_way(a, thread->vm->ref);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    JNIEnv *env = vm_jni(&a->vm);

    if (times.runs && env && thread->vm->ref) /* the agent's own have none */
        end_thread(tid_of(env, thread->vm->ref));
}

/* ---- recordings */

_Static_assert((int)TIMES_NODE_PLACES == (int)AGENT_RECORDINGS, "one place for each");

static uint64_t lost_calls(const struct recording *r)
{
    return times_tree_lost() - times.lost_before[r->place];
}

/* Paths that are not told apart beyond the first recording's depth never will be. */
static int join(struct agent *a, struct recording *r)
{
    uint32_t depth = times_report_depth(&r->options), most = times_tree_window();

    if (depth > most) {
        log_error("cpu=times: a recording that runs has traces of %u methods: say depth=%u or "
                  "less, or stop that one first",
                  most, most);
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

static void set_quality(struct recording *r)
{
    const struct times_report_totals *t = &times.totals;
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {
        {"times_calls", t->calls},
        {"times_raw_us", t->raw_ns / 1000},
        {"times_corrected_us", t->corrected_ns / 1000},
        {"times_unfinished_calls", t->open_calls},
        {"times_unfinished_us", t->open_ns / 1000},
        {"times_waits", t->waits},
        {"times_waiting_us", t->wait_ns / 1000},
        {"times_cost_inside_ps", (uint64_t)(times.cost.inside * 1000)},
        {"times_cost_outside_ps", (uint64_t)(times.cost.outside * 1000)},
        {"times_cpu_clock", times.clock == TIMES_CLOCK_CPU},
        {"times_tree_nodes", times_tree_nodes()},
        {"times_shallow_calls", t->shallow_calls},
        {"times_lost_calls", t->lost_calls + lost_calls(r)},
        {"times_methods", methods_count()},
        {"times_methods_left_alone", times_left_count()},
        {"times_methods_intrinsic", times_left_count_of(INSTRUMENT_INTRINSIC)},
        {"times_classes_refused", user.refused + user.failed},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        recording_set_quality(r, rows[i].name, rows[i].count);
    if (times.under_way)
        recording_set_quality(r, "times_under_way", times.under_way);
}

static void dump(struct agent *a, struct recording *r)
{
    struct hprof_out *out = &r->output.out;

    if (r->options.verbose) /* here, because the two tables have different words */
        log_piece(is_old(&a->options) ? " CPU usage in old prof format ..."
                                      : " CPU usage by timing methods ...");
    if (times_report_write(a, r, &times.cost, times.clock == TIMES_CLOCK_NONE, times.is_apart,
                           &times.totals) != 0)
        log_error("no memory for the table of method times");
    if (!is_old(&a->options))
        times_left_write(out, r->place);
    set_quality(r);
    out->ops->quality(out);
    times_watch_write(times_clock_unit_ns(), times.cost.inside, times.cost.outside);
}

static void say(struct agent *a, struct recording *r)
{
    const struct times_report_totals *t = &times.totals;
    uint64_t lost = t->lost_calls + lost_calls(r);

    log_note("cpu=%s by clock %s: calls=%llu self_ms=%llu raw_ms=%llu ns_per_call=%.1f+%.1f "
             "methods=%u left_alone=%u lost_calls=%llu unfinished_calls=%llu",
             is_old(&a->options) ? "old" : "times", times_clock_name(times.clock),
             (unsigned long long)t->calls, (unsigned long long)t->corrected_ns / 1000000,
             (unsigned long long)t->raw_ns / 1000000, times.cost.inside, times.cost.outside,
             methods_count(), times_left_count(), (unsigned long long)lost,
             (unsigned long long)t->open_calls);
    if (t->shallow_calls > 0)
        log_note("cpu=times: room for paths of calls was short: %llu calls are counted without "
                 "their callers; raise mem=",
                 (unsigned long long)t->shallow_calls);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    snprintf(ret, ENGINE_STATUS, "methods=%u under_way=%llu lost_calls=%llu", methods_count(),
             (unsigned long long)times.under_way, (unsigned long long)lost_calls(r));
}

static void stop(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);

    injector_remove(&user);
    vm_event_remove_all(on_virtuals + 1, 2);
    if (times.runs && env && times.is_apart)
        bind_waits(env, 0);
    if (times.runs && env && times.clock != TIMES_CLOCK_NONE)
        calibrate(env, STOP_NS);
    if (!a->is_leaving)
        return;
    vm_event_remove(&on_virtuals[0]);
    times_inline_restore();
}

/* What injected code that is still under way may touch stays: the tracker and the trees. */
static int release(struct agent *a, JNIEnv *env)
{
    times.runs = false;
    times_clock_stop();
    times_left_forget();
    user.failed = 0;
    user.refused = 0;
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
