/*
 * engine_vthread.c - event=vthread: virtual threads that start and end, and times that one was
 * pinned: parked without leaving its carrier.
 *
 * The VM tells of starts and ends. That a thread is pinned it does not tell, so calls are injected
 * into VirtualThread.parkOnCarrierThread, which runs only if a thread could not leave its carrier
 * (vthread_pin.c). All handlers run on the virtual thread itself, keep what they have seen in
 * queues, and wait for nobody; a thread that finds a queue half full counts some of it if nobody
 * has the agent's lock. docs/vthread.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/engine/ended.h"
#include "agent/engine/engine.h"
#include "agent/engine/pending.h"
#include "agent/log.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_virtual.h"
#include "agent/vthread/vthread_pin.h"
#include "base/err.h"
#include "options/options_vthread.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

extern const struct engine engine_vthread;

/* The values of an event, in the order of its kind. */
enum { PINNED_TIME, PINNED, STARTED, ENDED };

enum {
    COUNTED_AT_ONCE = 1024, /* starts and ends that a thread of the program counts at most */
    HELP_AT = 8192,         /* so many wait */
};

/* A start or an end. */
struct lived {
    uint64_t java_id, time_ns;
    enum event_virtual_what what;
};

static void count_pinned(struct agent *a, const struct ended *ended, struct traces_stack *stack);

static struct {
    struct agent *agent;
    bool is_hearing; /* starts and ends */
    struct pending lives;
    _Atomic int64_t waiting; /* in `lives` */
    struct ended_queue pins;
    _Atomic uint64_t least_ns; /* the lowest threshold of all recordings */
    _Atomic uint64_t shorter, shorter_ns, lost;
    struct {
        uint64_t shorter, shorter_ns, lost; /* when the recording began */
        uint64_t own_shorter, own_ns;       /* long enough for another recording alone */
    } of[AGENT_RECORDINGS];                 /* by its place */
} virtuals = {.pins = {.bytes = sizeof(struct vthread_pin), .count = count_pinned}};

/* ---- with the agent's lock */

static void count_lived(struct agent *a, const struct lived *l)
{
    const struct event_virtual details = {.what = l->what, .java_id = l->java_id};
    const char *name =
        l->what == EVENT_VIRTUAL_START ? "jdk.VirtualThreadStart" : "jdk.VirtualThreadEnd";
    struct event e = {.kind = KIND_VTHREAD,
                      .trace = profile_trace(a->profile, 0, NULL, 0),
                      .time_ns = l->time_ns,
                      .of_vm.virtual = &details};
    struct recording *r;
    e.value[l->what == EVENT_VIRTUAL_START ? STARTED : ENDED] = 1;
    for (int at = 0; e.trace && (r = engine_recording(a, &engine_vthread, &at)) != NULL;)
        if (l->time_ns >= r->began_ns &&
            !options_group_is_off(&r->options, &options_vthread, name) &&
            recording_count(a, r, &e) != 0)
            atomic_fetch_add(&virtuals.lost, 1);
}

static void drain_lives(struct agent *a, uint32_t most)
{
    struct lived l;
    for (uint32_t i = 0; i < most && pending_take(&virtuals.lives, &l, sizeof(l)) > 0; i++) {
        atomic_fetch_sub_explicit(&virtuals.waiting, 1, memory_order_relaxed);
        count_lived(a, &l);
    }
}

static void drain(struct agent *a)
{
    drain_lives(a, UINT32_MAX);
    ended_drain(&virtuals.pins);
}

/* The thread with this JNIEnv; 0: no known thread. */
static thread_id carrier_of(const void *env)
{
    for (const struct thread *t = threads_next(NULL); t; t = threads_next(t))
        if (t->vm->jni_env == env && t->vm->java_thread != 0)
            return t->id;
    return 0;
}

/* How long the recording has seen the thread pinned: its own beginning may be later. */
static uint64_t seen_ns(const struct recording *r, const struct ended *e)
{
    uint64_t start_ns = e->start_ns > r->began_ns ? e->start_ns : r->began_ns;
    return e->end_ns - start_ns;
}

static void count_pinned(struct agent *a, const struct ended *ended, struct traces_stack *stack)
{
    const struct vthread_pin *pin = (const struct vthread_pin *)(const void *)ended;
    const struct event_virtual details = {
        .what = EVENT_VIRTUAL_PINNED,
        .java_id = ended->thread ? profile_thread_at(a->profile, ended->thread)->java_id : 0,
        .carrier = carrier_of(pin->env),
        .operation = "LockSupport.park",
    };
    struct event e = {.kind = KIND_VTHREAD,
                      .thread = ended->thread,
                      .context = scope_context_of(a, &ended->scopes),
                      .time_ns = ended->end_ns,
                      .text = vthread_pin_text(a, pin),
                      .value = {[PINNED] = 1},
                      .of_vm.virtual = &details};
    trace_id whole = traces_of(a, ended->thread, stack);
    struct recording *r;
    for (int at = 0; (r = engine_recording(a, &engine_vthread, &at)) != NULL;) {
        if (ended->end_ns < r->began_ns ||
            options_group_is_off(&r->options, &options_vthread, "jdk.VirtualThreadPinned"))
            continue;
        e.value[PINNED_TIME] = seen_ns(r, ended);
        if (e.value[PINNED_TIME] < options_vthread_of(&r->options)->threshold_ns) {
            virtuals.of[r->place].own_shorter++;
            virtuals.of[r->place].own_ns += e.value[PINNED_TIME];
            continue;
        }
        e.trace = recording_trace(a, r, whole, &e.is_truncated);
        e.is_truncated = e.is_truncated || ended->is_cut;
        if (!e.trace || recording_count(a, r, &e) != 0)
            atomic_fetch_add(&virtuals.lost, 1);
    }
}

/* ---- on the virtual thread itself */

static void note(JNIEnv *env, jthread thread, enum event_virtual_what what)
{
    const struct lived l = {.java_id = (uint64_t)scope_virtual_id(env, thread),
                            .time_ns = clock_monotonic_ns(),
                            .what = what};
    const struct pending_piece piece = {&l, sizeof(l)};
    struct agent *a = virtuals.agent;
    if (!pending_put(&virtuals.lives, &piece, 1))
        atomic_fetch_add(&virtuals.lost, 1);
    else if (atomic_fetch_add_explicit(&virtuals.waiting, 1, memory_order_relaxed) >= HELP_AT &&
             agent_try_lock(a)) {
        if (!a->closed)
            drain_lives(a, COUNTED_AT_ONCE);
        agent_unlock(a);
    }
}

static void on_start(void *data, JNIEnv *env, jthread thread)
{
    note(env, thread, EVENT_VIRTUAL_START);
}

static void on_end(void *data, JNIEnv *env, jthread thread)
{
    note(env, thread, EVENT_VIRTUAL_END);
}

static struct vm_event_subscriber heard[] = {
    {.event = VM_EVENT_VIRTUAL_START, .on.virtual_start = on_start},
    {.event = VM_EVENT_VIRTUAL_END, .on.virtual_end = on_end},
};

enum { HEARD = sizeof(heard) / sizeof(heard[0]) };

static void on_pinned(JNIEnv *env, uint64_t start_ns, uint64_t end_ns)
{
    struct vthread_pin pin = {.ended = {.start_ns = start_ns, .end_ns = end_ns}, .env = env};
    if (end_ns - start_ns < atomic_load_explicit(&virtuals.least_ns, memory_order_relaxed)) {
        atomic_fetch_add(&virtuals.shorter, 1);
        atomic_fetch_add(&virtuals.shorter_ns, end_ns - start_ns);
        return;
    }
    pin.ended.thread = vthread_pin_thread(virtuals.agent, env);
    vthread_pin_find(virtuals.agent, &pin);
    if (!ended_put(&virtuals.pins, env, &pin.ended, NULL, VTHREAD_PIN_SKIP))
        atomic_fetch_add(&virtuals.lost, 1);
    ended_help(&virtuals.pins, env);
}

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (ended_init(&virtuals.pins, budget_bytes(o->mem_bytes, BUDGET_PINNED), LOCK_VIRTUALS) == 0) {
        size_t room = budget_bytes(o->mem_bytes, BUDGET_VIRTUALS);
        if (pending_init(&virtuals.lives, room, LOCK_VIRTUALS) == 0)
            return 0;
        ended_done(&virtuals.pins, NULL);
    }
    log_error("no memory for event=vthread: lower mem=");
    return E_LIMIT;
}

static const struct engine_need needs[] = {
    {.what = VM_CAN_RETRANSFORM_CLASSES},
};

/* Monitors pin up to JDK 23. Where they do not, the capability is not asked for: with it compilers
 * remove fewer locks. A VM that runs refuses it; then no monitor is named. */
static int load(struct agent *a)
{
    virtuals.agent = a;
    virtuals.pins.agent = a;
    if (a->vm.release >= RELEASE_CONTINUATIONS && a->vm.release < RELEASE_UNMOUNTS_IN_VM)
        (void)vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_GET_OWNED_MONITOR_STACK_DEPTH_INFO),
                          &vthread_pin_env, NULL);
    return 0;
}

static int retune(struct agent *a)
{
    atomic_store(&virtuals.least_ns, options_vthread_of(&a->options)->threshold_ns);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    if (a->vm.release < RELEASE_CONTINUATIONS) {
        log_error("event=vthread: nothing is measured: virtual threads came with JDK 21");
        return E_UNSUPPORTED;
    }
    virtuals.is_hearing = vm_event_add_all(heard, HEARD, &why) == 0;
    if (!virtuals.is_hearing)
        log_error("event=vthread: this VM does not tell of virtual threads (%s): their starts and "
                  "ends are not counted",
                  vm_env_say(&why, text));
    return retune(a);
}

static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (env)
        vthread_pin_begin(a, env, on_pinned);
}

static void beat(struct agent *a, JNIEnv *env)
{
    drain(a);
}

static int join(struct agent *a, struct recording *r)
{
    drain(a);
    virtuals.of[r->place].shorter = atomic_load(&virtuals.shorter);
    virtuals.of[r->place].shorter_ns = atomic_load(&virtuals.shorter_ns);
    virtuals.of[r->place].lost = atomic_load(&virtuals.lost);
    virtuals.of[r->place].own_shorter = virtuals.of[r->place].own_ns = 0;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    drain(a);
    recording_set_quality(r, QUALITY_VTHREAD_SHORTER,
                          atomic_load(&virtuals.shorter) - virtuals.of[r->place].shorter +
                              virtuals.of[r->place].own_shorter);
    recording_set_quality(r, QUALITY_VTHREAD_SHORTER_TIME,
                          atomic_load(&virtuals.shorter_ns) - virtuals.of[r->place].shorter_ns +
                              virtuals.of[r->place].own_ns);
    recording_set_quality(r, QUALITY_VTHREAD_LOST,
                          atomic_load(&virtuals.lost) - virtuals.of[r->place].lost);
    recording_table(r, KIND_VTHREAD);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    drain(a);
    const uint64_t *total = tally_sums(r->tally, KIND_VTHREAD)->total;
    snprintf(ret, ENGINE_STATUS, "vthreads_started=%llu vthreads_ended=%llu pinned=%llu",
             (unsigned long long)total[STARTED], (unsigned long long)total[ENDED],
             (unsigned long long)total[PINNED]);
}

static void stop(struct agent *a)
{
    vm_event_remove_all(heard, HEARD);
    vthread_pin_end();
}

static int release(struct agent *a, JNIEnv *env)
{
    enum { WAIT_MS = 2000 };
    vm_event_remove_all(heard, HEARD);
    if (!vm_event_settle(WAIT_MS) || vthread_pin_settle() != 0) {
        log_error("event=vthread: a virtual thread is still being told of");
        return -EBUSY;
    }
    ended_done(&virtuals.pins, env);
    pending_done(&virtuals.lives);
    vm_env_close(vthread_pin_env);
    vthread_pin_env = NULL;
    atomic_store(&virtuals.waiting, 0);
    atomic_store(&virtuals.shorter, 0);
    atomic_store(&virtuals.shorter_ns, 0);
    atomic_store(&virtuals.lost, 0);
    return 0;
}

const struct engine engine_vthread = {
    .name = "vthread",
    .help = "event=vthread: virtual threads that start, end, and are pinned",
    .dumping = " virtual threads ...",
    .begun = "virtual threads",
    .options = &options_vthread,
    .owns = {.needs = needs, .need_count = sizeof(needs) / sizeof(needs[0]), .counts = "vthread_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .ready = ready,
    .beat = beat,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .status = status,
    .stop = stop,
    .release = release,
};
