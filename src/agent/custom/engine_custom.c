/*
 * engine_custom.c - events that the application defines and commits with HprofEvent of hprof.jar.
 * event=custom and each recording as JFR want them.
 *
 * The events come from agent/commit/. The thread that commits an event takes its own stack, copies
 * the values and puts them into a queue. It never waits for the agent's lock: the next thread that
 * has the lock takes the events out of the queue, and mostly this is the same thread. Sums, and
 * files of sums, have no place for such events, so only writers of events get them. See
 * docs/events.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/commit/commit.h"
#include "agent/commit/commit_type.h"
#include "agent/custom/custom_virtual.h"
#include "agent/engine/engine.h"
#include "agent/engine/pending.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_virtual.h"
#include "base/err.h"
#include "options/options_custom.h"

extern const struct engine engine_custom;

enum {
    LOCAL_REFERENCES = CUSTOM_FIELDS + 4,
    TEXT_MAX = 4096, /* bytes of all texts of one event */
    UTF8_MAX = 3,    /* bytes of a character in modified UTF-8 */
    DRAINED_AT_ONCE = 1024,
};

/* A value in the queue. A number stands for itself. A text is its offset in the texts behind all
 * values, plus 1. A thread is a global reference. A class is a global reference, which is even, or,
 * if the model has the class, its id shifted left by 1, plus KNOWN. */
typedef int64_t raw_value;

/* An event in the queue. Its frames, values and texts lie behind it. */
struct entry {
    const struct custom_type *type;
    uint64_t start_ns, end_ns;
    struct scope_values scopes;
    thread_id thread;
    jlong virtual_number;   /* the number of the virtual thread; 0: it is no virtual thread */
    raw_value virtual_name; /* its name, which is one of the texts; 0: none */
    bool is_cut;            /* the stack had more frames */
    uint32_t frame_bytes, text_bytes;
};

enum { KNOWN = 1 };

/* The event that a thread puts together on its own stack. */
struct draft {
    struct entry entry;
    struct traces_stack stack;
    raw_value values[CUSTOM_FIELDS];
    char text[TEXT_MAX];
};

/* The event when it is taken out of the queue. */
union taken {
    struct entry entry;
    unsigned char bytes[sizeof(struct entry) + (TRACES_DEPTH_MAX + 1) * sizeof(jvmtiFrameInfo) +
                        CUSTOM_FIELDS * sizeof(raw_value) + TEXT_MAX];
};

static struct {
    struct agent *agent;
    struct pending queue;
    bool is_ready;         /* needs the agent's lock */
    _Atomic uint64_t lost; /* events that found no room in the queue */
    /* Indexed by the recording's place: how many events were lost before it began, and how many it
     * has. */
    struct {
        uint64_t lost_before, events;
    } of[AGENT_RECORDINGS];
} customs;

/* ---- with the agent's lock */

static class_id class_of(struct agent *a, raw_value raw)
{
    return raw & KNOWN ? (class_id)((uint64_t)raw >> 1) : names_class(a, (jclass)(intptr_t)raw);
}

/* A virtual thread gets no name here. The VM could be asked for the name, but this thread would
 * wait for the VM while it holds the lock. */
static thread_id thread_of(struct agent *a, JNIEnv *env, raw_value raw)
{
    jthread thread = (jthread)(intptr_t)raw;
    const struct thread *t = threads_find(env, thread);
    jlong number = t ? 0 : scope_virtual_number(env, thread);
    return t ? t->id : number > 0 ? custom_virtual_row(a, number, "") : 0;
}

/* The value of a field. Deletes the global reference, if the value has one. */
static union custom_value value_of(struct agent *a, JNIEnv *env, enum custom_sort sort,
                                   raw_value raw, const char *text)
{
    union custom_value value = {.number = raw};
    bool is_reference = (sort == CUSTOM_THREAD || sort == CUSTOM_CLASS) && raw && !(raw & KNOWN);
    if (sort == CUSTOM_DOUBLE)
        memcpy(&value.real, &raw, sizeof(raw));
    else if (sort == CUSTOM_TEXT)
        value.text = raw ? text + raw - 1 : NULL;
    else if (sort == CUSTOM_THREAD)
        value.thread = raw ? thread_of(a, env, raw) : 0;
    else if (sort == CUSTOM_CLASS)
        value.klass = raw ? class_of(a, raw) : 0;
    if (is_reference)
        (*env)->DeleteGlobalRef(env, (jobject)(intptr_t)raw);
    return value;
}

static void count_for_all(struct agent *a, struct event *event, trace_id whole, bool is_cut)
{
    struct recording *r;
    for (int at = 0; (r = engine_recording(a, &engine_custom, &at)) != NULL;) {
        int64_t least_ns = options_custom_least_ns(&r->options, event->custom->type->name,
                                                   event->custom->type->threshold_ns);
        if (event->time_ns < r->began_ns || least_ns < 0 || event->value[0] < (uint64_t)least_ns)
            continue;
        event->trace = recording_trace(a, r, whole, &event->is_truncated);
        event->is_truncated = event->is_truncated || is_cut;
        if (!event->trace)
            continue;
        recording_tell(r, event);
        customs.of[r->place].events++;
    }
}

static void count_entry(struct agent *a, JNIEnv *env, const struct entry *e)
{
    const struct custom_type *type = e->type;
    const char *behind = (const char *)(e + 1) + e->frame_bytes;
    const raw_value *raw = (const raw_value *)(const void *)behind;
    const char *text = behind + type->field_count * sizeof(raw_value);
    struct traces_stack stack;
    union custom_value values[CUSTOM_FIELDS];
    const struct custom_event custom = {type, values};
    thread_id thread = e->virtual_number
                           ? custom_virtual_row(a, e->virtual_number,
                                                e->virtual_name ? text + e->virtual_name - 1 : "")
                           : e->thread;
    struct event event = {.kind = KIND_CUSTOM,
                          .thread = thread,
                          .context = scope_context_of(a, &e->scopes),
                          .time_ns = e->end_ns,
                          .value = {e->end_ns - e->start_ns, 1},
                          .custom = &custom};
    traces_again(a, (const jvmtiFrameInfo *)(const void *)(e + 1), e->frame_bytes, e->is_cut,
                 &stack);
    for (uint32_t i = 0; i < type->field_count; i++)
        values[i] = value_of(a, env, type->fields[i].sort, raw[i], text);
    count_for_all(a, &event, traces_of(a, thread, &stack), e->is_cut);
}

/* Takes events out of the queue and counts them, at most `most`. */
static void drain(struct agent *a, JNIEnv *env, uint32_t most)
{
    union taken taken;
    for (uint32_t i = 0; i < most && pending_take(&customs.queue, &taken, sizeof(taken)) > 0; i++)
        count_entry(a, env, &taken.entry);
}

static void drain_all(struct agent *a)
{
    JNIEnv *env = vm_jni(&a->vm);
    if (env)
        drain(a, env, UINT32_MAX);
}

/* ---- on the thread itself */

/* Adds the text to the draft; a text that does not fit is cut. Returns the raw value of the text.
 */
static raw_value add_text(JNIEnv *env, jstring string, struct draft *d)
{
    uint32_t at = d->entry.text_bytes;
    jsize fit = (jsize)((TEXT_MAX - at - 1) / UTF8_MAX), len = (*env)->GetStringLength(env, string);
    if (at + 1 >= TEXT_MAX)
        return 0;
    d->text[at] = '\0';
    if (len > 0 && fit > 0)
        (*env)->GetStringUTFRegion(env, string, 0, len < fit ? len : fit, d->text + at);
    d->entry.text_bytes += (uint32_t)strlen(d->text + at) + 1;
    return (raw_value)at + 1;
}

static raw_value add_object(JNIEnv *env, enum custom_sort sort, jobject object, struct draft *d)
{
    class_id known = sort == CUSTOM_CLASS ? names_known_class(customs.agent, object) : 0;
    if (sort == CUSTOM_TEXT)
        return add_text(env, object, d);
    if (known)
        return (raw_value)((uint64_t)known << 1 | KNOWN);
    return (raw_value)(intptr_t)(*env)->NewGlobalRef(env, object);
}

static void add_values(JNIEnv *env, const struct commit *c, struct draft *d)
{
    const struct custom_type *type = c->type;
    (*env)->GetLongArrayRegion(env, c->numbers, 0, (jsize)type->field_count, (jlong *)d->values);
    for (uint32_t i = 0; i < type->field_count && c->objects; i++) {
        enum custom_sort sort = type->fields[i].sort;
        jobject object;
        if (sort != CUSTOM_TEXT && sort != CUSTOM_THREAD && sort != CUSTOM_CLASS)
            continue;
        object = (*env)->GetObjectArrayElement(env, c->objects, (jsize)i);
        d->values[i] = object ? add_object(env, sort, object, d) : 0;
        if (object)
            (*env)->DeleteLocalRef(env, object);
    }
}

static void drop_references(JNIEnv *env, const struct custom_type *type, const raw_value *values)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if ((type->fields[i].sort == CUSTOM_THREAD || type->fields[i].sort == CUSTOM_CLASS) &&
            values[i] && !(values[i] & KNOWN))
            (*env)->DeleteGlobalRef(env, (jobject)(intptr_t)values[i]);
}

/* Adds the number and the name of the virtual thread. The name stands behind the texts of the
 * values; if they leave no room, the thread has no name. */
static void add_virtual(JNIEnv *env, struct draft *d)
{
    char name[CUSTOM_VIRTUAL_NAME];
    uint32_t at = d->entry.text_bytes, len;
    d->entry.virtual_number = custom_virtual_read(customs.agent, env, name);
    len = (uint32_t)strlen(name) + 1;
    if (d->entry.virtual_number == 0 || len == 1 || at + len > TEXT_MAX)
        return;
    memcpy(d->text + at, name, len);
    d->entry.virtual_name = (raw_value)at + 1;
    d->entry.text_bytes += len;
}

static void put(JNIEnv *env, struct draft *d)
{
    const struct pending_piece pieces[] = {
        {&d->entry, sizeof(d->entry)},
        {d->stack.frames, d->entry.frame_bytes},
        {d->values, d->entry.type->field_count * sizeof(raw_value)},
        {d->text, d->entry.text_bytes}};
    if (pending_put(&customs.queue, pieces, sizeof(pieces) / sizeof(pieces[0])))
        return;
    atomic_fetch_add_explicit(&customs.lost, 1, memory_order_relaxed);
    drop_references(env, d->entry.type, d->values);
}

/* Puts the event into the queue. The draft, more than 4 KB, lies on the thread's stack only while
 * this function runs. */
static void note(JNIEnv *env, const struct commit *c)
{
    struct agent *a = customs.agent;
    const struct thread *t = threads_here();
    struct draft d;
    d.entry = (struct entry){
        .type = c->type, .start_ns = c->start_ns, .end_ns = c->end_ns, .thread = t ? t->id : 0};
    scope_read(&d.entry.scopes);
    add_values(env, c, &d);
    if (!t)
        add_virtual(env, &d);
    d.stack.count = 0;
    if (c->type->has_stack && traces_take(a, NULL, c->skip, a->options.depth, &d.stack) == 0)
        d.entry.is_cut = d.stack.is_cut;
    d.entry.frame_bytes = (uint32_t)d.stack.count * (uint32_t)sizeof(d.stack.frames[0]);
    put(env, &d);
}

static void take(JNIEnv *env, const struct commit *c)
{
    struct agent *a = customs.agent;
    note(env, c);
    if (!agent_try_lock(a))
        return;
    if (a->started && !a->closed)
        drain(a, env, DRAINED_AT_ONCE);
    agent_unlock(a);
}

/* The smallest threshold of all recordings. When the event is counted, the threshold of each
 * recording is compared again. */
static int64_t least_ns(const struct custom_type *type)
{
    struct agent *a = customs.agent;
    int64_t least = COMMIT_OFF;
    for (int i = 0; i < AGENT_RECORDINGS; i++) {
        const struct recording *r = a->recordings[i];
        int64_t own = r && options_group_wanted(&r->options, &options_custom)
                          ? options_custom_least_ns(&r->options, type->name, type->threshold_ns)
                          : COMMIT_OFF;
        if (own >= 0 && (least < 0 || own < least))
            least = own;
    }
    return least;
}

static struct commit_user user = {.least_ns = least_ns, .take = take};

/* ---- the engine */

static int prepare(const struct options *o)
{
    if (pending_init(&customs.queue, budget_bytes(o->mem_bytes, BUDGET_CUSTOM), LOCK_COMMITS) == 0)
        return 0;
    log_error("no memory for events of the application: lower mem=");
    return E_LIMIT;
}

static int load(struct agent *a)
{
    customs.agent = a;
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    customs.is_ready = false;
    return 0;
}

/* Events are wanted only from here on, because before this the threads that already run are not
 * known. */
static void ready(struct agent *a)
{
    agent_lock(a);
    customs.is_ready = true;
    commit_begin(&user);
    agent_unlock(a);
}

static int retune(struct agent *a)
{
    if (customs.is_ready)
        commit_begin(&user);
    return 0;
}

static int join(struct agent *a, struct recording *r)
{
    drain_all(a);
    customs.of[r->place].lost_before = customs.lost;
    customs.of[r->place].events = 0;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    if (commit_type_all()->count == 0 && commit_type_lost() == 0)
        return;
    drain_all(a);
    recording_set_quality(r, QUALITY_CUSTOM_EVENTS, customs.of[r->place].events);
    recording_set_quality(r, QUALITY_CUSTOM_LOST, customs.lost - customs.of[r->place].lost_before);
    recording_set_quality(r, QUALITY_CUSTOM_TYPES_LOST, commit_type_lost());
}

static void stop(struct agent *a)
{
    agent_lock(a);
    customs.is_ready = false;
    commit_end();
    agent_unlock(a);
}

/* Empties the queue, and deletes the global references in it. */
static void drop_queue(JNIEnv *env)
{
    union taken taken;
    while (customs.queue.size && pending_take(&customs.queue, &taken, sizeof(taken)) > 0) {
        const struct entry *e = &taken.entry;
        if (env)
            drop_references(
                env, e->type,
                (const raw_value *)(const void *)((const char *)(e + 1) + e->frame_bytes));
    }
}

static int release(struct agent *a, JNIEnv *env)
{
    if (!commit_settle(&user)) {
        log_error("event=custom: somebody still commits an event");
        return -EBUSY;
    }
    drop_queue(env);
    custom_virtual_release();
    pending_done(&customs.queue);
    return 0;
}

const struct engine engine_custom = {
    .name = "custom",
    .help = "event=custom: events that the application defines with hprof.jar, into a JFR file",
    .options = &options_custom,
    .owns = {.counts = "custom_"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .ready = ready,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .stop = stop,
    .release = release,
};
