/*
 * engine_lock.c - event=lock: each time that a thread was blocked for long, with the reason and the
 * stack.
 *
 * Contended monitors, parks and Object.wait come from agent/blocked/. A time below the threshold is
 * only counted, which costs no more than two looks at the clock. For a longer time the thread takes
 * its stack when it goes on, and puts both into a queue (engine/ended.h). docs/locks.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/blocked/blocked.h"
#include "agent/budget.h"
#include "agent/engine/ended.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "base/err.h"
#include "base/javaname.h"
#include "options/options_lock.h"
#include "profile/sums.h"
#include "safe/scope.h"
#include "vm/vm_env.h"
#include "vm/vm_monitor.h"

extern const struct engine engine_lock;

enum { LOCAL_REFERENCES = 8 };

/* A time that a thread was blocked. */
struct entry {
    struct ended ended;
    uint64_t address, owner;
    int64_t limit_value;
    uint8_t by, limit;
    bool has_timed_out;
};

/* How many times, and how long they were together. */
struct count {
    _Atomic uint64_t hits, ns;
};

struct count_of {
    uint64_t hits, ns;
};

static void count_ended(struct agent *a, const struct ended *ended, struct traces_stack *stack);

static struct {
    struct agent *agent;
    _Atomic uint64_t least_ns[OPTIONS_LOCK_EVENTS]; /* the lowest threshold of all recordings */
    struct ended_queue queue;
    struct count shorter, lost; /* below the lowest threshold; without room in the queue */
    /*
     * Indexed by the place of a recording. The *_before fields are the counts when the recording
     * began. `shorter` counts times that were long enough only for another recording; `lost` counts
     * times without room among the sums of this recording.
     */
    struct {
        struct count_of shorter_before, lost_before, shorter, lost;
        uint64_t enters, awaits;
    } of[AGENT_RECORDINGS];
} locks = {.queue = {.bytes = sizeof(struct entry), .count = count_ended}};

/* Kept for a thread between the beginning and the end of a monitor enter. */
struct lock_thread {
    struct blocked_thread blocked; /* first */
    uint64_t monitor, owner;
};

static struct vm_threads_row thread_row = {.bytes = sizeof(struct lock_thread)};

static struct lock_thread *kept_of(const struct thread *t)
{
    return vm_threads_slot(t->vm, &thread_row);
}

static void count_in(struct count *c, uint64_t ns)
{
    atomic_fetch_add_explicit(&c->hits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->ns, ns, memory_order_relaxed);
}

static void add_to(struct count_of *c, uint64_t ns)
{
    c->hits++;
    c->ns += ns;
}

static struct count_of look_at(const struct count *c)
{
    return (struct count_of){atomic_load_explicit(&c->hits, memory_order_relaxed),
                             atomic_load_explicit(&c->ns, memory_order_relaxed)};
}

/* The event of the option that belongs to a reason. */
static enum options_lock_event event_of(enum blocked_by by)
{
    static const enum options_lock_event events[] = {
        [BLOCKED_ENTER] = OPTIONS_LOCK_ENTER,
        [BLOCKED_WAIT] = OPTIONS_LOCK_WAIT,
        [BLOCKED_PARK] = OPTIONS_LOCK_PARK,
    };
    return events[by];
}

/* ---- with the agent's lock */

static const char *name_of(struct agent *a, class_id klass)
{
    return klass ? profile_string_at(a->profile, profile_class_at(a->profile, klass)->name)->bytes
                 : "<none>";
}

static bool is_for_lock(struct agent *a, const struct entry *e)
{
    return e->by == BLOCKED_ENTER ||
           (e->by == BLOCKED_PARK && javaname_is_lock(name_of(a, e->ended.klass)));
}

/* Whether the recording has turned off the events for this reason. */
static bool is_off(const struct recording *r, enum blocked_by by)
{
    static const char *const events[] = {
        [BLOCKED_ENTER] = "jdk.JavaMonitorEnter",
        [BLOCKED_WAIT] = "jdk.JavaMonitorWait",
        [BLOCKED_PARK] = "jdk.ThreadPark",
    };
    return options_group_is_off(&r->options, &options_lock, events[by]);
}

/* Whether `t` is the owner. `t` is in the list of threads, so it has not ended. */
static bool is_owner(struct agent *a, const struct thread *t, uint64_t owner)
{
    if (vm_monitor_owner_is_number())
        return t->id && profile_thread_at(a->profile, t->id)->java_id == owner;
    return vm_monitor_is_owner(t->vm->java_thread, owner);
}

/*
 * The thread for an owner value (vm_monitor_owner()); 0: no known thread. Needs the agent's lock.
 */
static thread_id owner_thread(struct agent *a, uint64_t owner)
{
    for (struct thread *t = owner ? threads_next(NULL) : NULL; t; t = threads_next(t))
        if (is_owner(a, t, owner))
            return t->id;
    return 0;
}

static struct event_blocked details(struct agent *a, const struct entry *e)
{
    static const enum event_blocked_by bys[] = {
        [BLOCKED_ENTER] = EVENT_BLOCKED_ENTER,
        [BLOCKED_WAIT] = EVENT_BLOCKED_WAIT,
        [BLOCKED_PARK] = EVENT_BLOCKED_PARK,
    };
    return (struct event_blocked){
        .by = bys[e->by],
        .address = e->address,
        .owner = owner_thread(a, e->owner),
        .has_timeout = e->limit == BLOCKED_FOR_MS || e->limit == BLOCKED_FOR_NS,
        .has_until = e->limit == BLOCKED_UNTIL_MS,
        .has_timed_out = e->has_timed_out,
        .timeout = e->limit_value,
        .until_ms = e->limit_value,
    };
}

/* How long the recording has seen the thread blocked: its own beginning may be later. */
static uint64_t seen_ns(const struct recording *r, const struct entry *e)
{
    uint64_t start_ns = e->ended.start_ns > r->began_ns ? e->ended.start_ns : r->began_ns;
    return e->ended.end_ns - start_ns;
}

static void count_for(struct agent *a, struct recording *r, struct event *event, trace_id whole,
                      const struct entry *e)
{
    uint64_t ns = event->value[0];
    if (ns < options_lock_of(&r->options)->threshold_ns[event_of((enum blocked_by)e->by)]) {
        add_to(&locks.of[r->place].shorter, ns);
        return;
    }
    event->trace = recording_trace(a, r, whole, &event->is_truncated);
    event->is_truncated = event->is_truncated || e->ended.is_cut;
    if (!event->trace || recording_count(a, r, event) != 0)
        add_to(&locks.of[r->place].lost, ns);
    else if (event->kind == KIND_ENTER)
        locks.of[r->place].enters++;
    else
        locks.of[r->place].awaits++;
}

static void count_ended(struct agent *a, const struct ended *ended, struct traces_stack *stack)
{
    const struct entry *e = (const struct entry *)(const void *)ended;
    struct event_blocked blocked = details(a, e);
    struct event event = {.kind = KIND_AWAIT,
                          .klass = ended->klass,
                          .thread = ended->thread,
                          .context = scope_context_of(a, &ended->scopes),
                          .time_ns = ended->end_ns,
                          .value = {0, 1},
                          .blocked = &blocked};
    trace_id whole = traces_of(a, ended->thread, stack);
    struct recording *r;
    if (is_for_lock(a, e)) {
        event.kind = KIND_ENTER;
        event.text = blocked_text(a, name_of(a, e->ended.klass), (enum blocked_by)e->by);
    }
    for (int at = 0; (r = engine_recording(a, &engine_lock, &at)) != NULL;) {
        if (ended->end_ns < r->began_ns || is_off(r, (enum blocked_by)e->by))
            continue;
        event.value[0] = seen_ns(r, e);
        count_for(a, r, &event, whole, e);
    }
}

/* ---- on the thread itself */

static void begins(JNIEnv *env, const struct blocked *b)
{
    struct lock_thread *kept = kept_of(b->thread);
    if (b->by != BLOCKED_ENTER)
        return;
    kept->monitor = vm_monitor_pending(env);
    kept->owner = vm_monitor_owner(kept->monitor);
}

/*
 * The value behind a local reference at this moment, the address of the object. It tells two
 * blockers apart, unless the GC has moved them meanwhile.
 */
static uint64_t address_of(jobject object)
{
    return object ? *(const volatile uint64_t *)object : 0;
}

static void note(JNIEnv *env, const struct blocked *b, const struct thread *t)
{
    struct entry e = {
        .ended = {.start_ns = b->start_ns, .end_ns = b->end_ns, .thread = t->id},
        .limit_value = b->limit_value,
        .by = (uint8_t)b->by,
        .limit = (uint8_t)b->limit,
        .has_timed_out = b->has_timed_out,
    };
    jobject object = b->object;
    if (b->by == BLOCKED_PARK) {
        object = blocked_park_object(env, b);
        e.address = address_of(object);
    } else if (b->by == BLOCKED_ENTER) {
        e.address = kept_of(t)->monitor;
        e.owner = kept_of(t)->owner;
    } else {
        e.address = vm_monitor_waiting(env);
    }
    if (!ended_put(&locks.queue, env, &e.ended, object, b->skip))
        count_in(&locks.lost, b->end_ns - b->start_ns);
}

static void ends(JNIEnv *env, const struct blocked *b)
{
    uint64_t ns = b->end_ns - b->start_ns;
    const struct thread *t;
    if (ns < atomic_load_explicit(&locks.least_ns[event_of(b->by)], memory_order_relaxed)) {
        count_in(&locks.shorter, ns);
        return;
    }
    t = b->thread ? b->thread : blocked_thread(locks.agent, env, NULL);
    if (!t || (*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK)
        return;
    note(env, b, t);
    ended_help(&locks.queue, env);
    (*env)->PopLocalFrame(env, NULL);
}

static struct blocked_user user = {
    .row = &thread_row,
    .begins = begins,
    .ends = ends,
    .parks_asked_by = "event=lock",
};

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (ended_init(&locks.queue, budget_bytes(o->mem_bytes, BUDGET_BLOCKED), LOCK_BLOCKED) == 0)
        return 0;
    log_error("no memory for event=lock: lower mem=");
    return E_LIMIT;
}

static const struct engine_need needs[] = {
    {.what = VM_CAN_GENERATE_MONITOR_EVENTS,
     .refused = "event=lock: this VM does not tell of contended monitors (%s)"},
    {.what = VM_CAN_RETRANSFORM_CLASSES,
     .refused = "event=lock: this VM does not let its classes be changed"},
};

static int load(struct agent *a)
{
    locks.agent = a;
    locks.queue.agent = a;
    return 0;
}

static int retune(struct agent *a)
{
    for (int i = 0; i < OPTIONS_LOCK_EVENTS; i++)
        atomic_store(&locks.least_ns[i], options_lock_of(&a->options)->threshold_ns[i]);
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    vm_monitor_open();
    return retune(a);
}

static void ready(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (env)
        blocked_begin(a, env, &user, true);
}

static int join(struct agent *a, struct recording *r)
{
    ended_drain(&locks.queue);
    locks.of[r->place].shorter_before = look_at(&locks.shorter);
    locks.of[r->place].lost_before = look_at(&locks.lost);
    locks.of[r->place].shorter = locks.of[r->place].lost = (struct count_of){0};
    locks.of[r->place].enters = locks.of[r->place].awaits = 0;
    return 0;
}

/* The sum of `own` and of what `all` has counted since `before`. */
static struct count_of of_all(const struct count *all, struct count_of before, struct count_of own)
{
    struct count_of now = look_at(all);
    return (struct count_of){now.hits - before.hits + own.hits, now.ns - before.ns + own.ns};
}

/* All times that were too short for the recording. */
static struct count_of shorter_of(const struct recording *r)
{
    return of_all(&locks.shorter, locks.of[r->place].shorter_before, locks.of[r->place].shorter);
}

/* All times of the recording that found no room. */
static struct count_of lost_of(const struct recording *r)
{
    return of_all(&locks.lost, locks.of[r->place].lost_before, locks.of[r->place].lost);
}

static void set_quality(struct recording *r)
{
    struct count_of shorter = shorter_of(r), lost = lost_of(r);
    recording_set_quality(r, QUALITY_LOCK_SHORTER, shorter.hits);
    recording_set_quality(r, QUALITY_LOCK_SHORTER_TIME, shorter.ns);
    recording_set_quality(r, QUALITY_LOCK_LOST, lost.hits);
    recording_set_quality(r, QUALITY_LOCK_LOST_TIME, lost.ns);
}

/* Count what waits in the queue, if no thread has had the lock to do so. */
static void beat(struct agent *a, JNIEnv *env)
{
    ended_drain(&locks.queue);
}

static void dump(struct agent *a, struct recording *r)
{
    ended_drain(&locks.queue);
    set_quality(r);
    recording_table(r, KIND_ENTER);
    recording_table(r, KIND_AWAIT);
    /* a table MONITOR TIME shows only the time since the last table */
    sums_clear(tally_sums(r->tally, KIND_ENTER));
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    ended_drain(&locks.queue);
    snprintf(ret, ENGINE_STATUS, "locks=%llu awaits=%llu shorter=%llu lock_lost=%llu",
             (unsigned long long)locks.of[r->place].enters,
             (unsigned long long)locks.of[r->place].awaits, (unsigned long long)shorter_of(r).hits,
             (unsigned long long)lost_of(r).hits);
}

static void stop(struct agent *a)
{
    blocked_end(&user);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (blocked_settle(&user) != 0) {
        log_error("event=lock: somebody still looks at a lock");
        return -EBUSY;
    }
    ended_done(&locks.queue, env);
    vm_monitor_close();
    return 0;
}

const struct engine engine_lock = {
    .name = "lock",
    .help = "event=lock, lock=<time>: contended monitors and locks, parks, Object.wait, each",
    .dumping = " locks ...",
    .begun = "locks",
    .options = &options_lock,
    .owns = {.needs = needs,
             .need_count = sizeof(needs) / sizeof(needs[0]),
             .per_thread = &thread_row,
             .counts = "lock_"},
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
