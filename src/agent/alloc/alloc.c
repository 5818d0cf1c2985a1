/*
 * alloc.c - see alloc.h.
 *
 * An allocation at a known site costs a walk of the stack, a lookup, two additions and a tag. The
 * VM is asked for a stack that is new; the site is then found under the agent's lock, and the
 * stack's key is remembered. Keys are made of addresses. They are valid only until the next
 * collection, because after it another method may lie at the same address.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/alloc/alloc_room.h"
#include "agent/alloc/alloc_share.h"
#include "agent/alloc/alloc_size.h"
#include "agent/alloc/alloc_source.h"
#include "agent/alloc/alloc_stack.h"
#include "agent/alloc/alloc_watch.h"
#include "agent/budget.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/gate.h"
#include "base/splitmix.h"
#include "format/hprof_serial.h"
#include "options/options_alloc.h"
#include "profile/lookup.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_heap.h"

static struct {
    struct agent *agent;
    jvmtiEnv *jvmti; /* the tags of this environment name rows */
    struct alloc_table table;
    struct alloc_share share;
    struct alloc_lost lost, lost_before[ALLOC_SHARE_PLACES]; /* now; when each recording began */
    struct lookup rows; /* from (class, trace) to a row; needs the agent's lock */
    struct lookup_key hash_key;
    struct arena arena;
    /* rows from this row on have one frame; UINT32_MAX: there is none yet */
    _Atomic uint32_t shallow_from;
    const struct alloc_source *source;
    uint64_t interval;
    _Atomic int depth, runs;
    bool is_paused, is_ready;
    uint32_t late_threads; /* threads that were found before alloc_ready() */
    /* number of collections so far; the epoch of the keys that are kept */
    _Atomic uint32_t epoch, keys_epoch;
} alloc;

static struct gate gate; /* entered by every thread that counts */

jvmtiEnv *alloc_env(void)
{
    return alloc.jvmti;
}

struct alloc_table *alloc_table(void)
{
    return &alloc.table;
}

struct alloc_share *alloc_shares(void)
{
    return &alloc.share;
}

uint32_t alloc_trace_serial(uint32_t row)
{
    const struct alloc_row *r = alloc_table_row(&alloc.table, row);
    return r ? r->trace_serial : (uint32_t)HPROF_SERIAL_TRACE_SYSTEM;
}

uint64_t alloc_interval(void)
{
    return alloc.interval;
}

static void subtract(struct alloc_lost *from, const struct alloc_lost *what)
{
    from->own -= what->own;
    from->no_row -= what->no_row;
    from->shallow -= what->shallow;
    from->no_tag -= what->no_tag;
    from->values -= what->values;
    from->no_walk -= what->no_walk;
}

void alloc_lost_of(const struct recording *r, struct alloc_lost *ret)
{
    *ret = alloc.lost;
    subtract(ret, &alloc.lost_before[r->place]);
}

void alloc_set_depth(int depth)
{
    alloc.depth = depth;
}

/* If no recording counts allocations, the callbacks return at once. */
static void pause_or_go_on(void)
{
    if (alloc.runs || alloc.is_paused) {
        alloc.runs = alloc_share_is_counting(&alloc.share);
        alloc.is_paused = !alloc.runs;
    }
}

/* ---- recordings */

static int say_share(int error)
{
    if (error == E_LIMIT)
        log_error("heap=: recordings have begun too often beside those that run: stop these once");
    else if (error)
        log_error("no memory for another recording of allocations");
    return error;
}

int alloc_join(struct agent *a, struct recording *r)
{
    int error = alloc_share_join(&alloc.share, r->place);
    alloc.lost_before[r->place] = (struct alloc_lost){0};
    if (!alloc_share_has(&alloc.share, r->place, 0)) /* other recordings began before this one */
        alloc.lost_before[r->place] = alloc.lost;
    pause_or_go_on();
    return say_share(error);
}

void alloc_part(struct agent *a, struct recording *r)
{
    alloc_share_part(&alloc.share, r->place);
    pause_or_go_on();
}

int alloc_turn(struct recording *r, bool is_on)
{
    int error = alloc_share_turn(&alloc.share, r->place, is_on);
    pause_or_go_on();
    return say_share(error);
}

/* ---- rows */

static uint32_t find_row(class_id klass, trace_id trace, uint32_t *ret_hash)
{
    const uint32_t key[] = {klass, trace};
    uint32_t at, row;
    at = *ret_hash = lookup_hash(&alloc.hash_key, key, sizeof(key));
    while ((row = lookup_next(&alloc.rows, *ret_hash, &at)) != 0) {
        const struct alloc_row *r = alloc_table_row(&alloc.table, row);
        if (r->klass == klass && r->trace == trace)
            return row;
    }
    return 0;
}

static uint32_t row_of(struct agent *a, class_id klass, trace_id trace, bool may_add)
{
    uint32_t hash, row = find_row(klass, trace, &hash);
    if (row)
        return row;
    if (!may_add || !lookup_reserve(&alloc.rows, &alloc.arena))
        return ALLOC_TABLE_OTHER;
    row = alloc_table_add_row(&alloc.table, klass, trace, hprof_serial_trace(a->profile, trace));
    if (row != ALLOC_TABLE_OTHER)
        lookup_add(&alloc.rows, hash, row);
    return row;
}

/* Whether room is short. The last eighth of the rows and the last quarter of the model's memory are
 * kept for traces of one frame. */
static bool is_crowded(const struct agent *a)
{
    if (alloc.shallow_from == UINT32_MAX &&
        (alloc_table_is_crowded(&alloc.table) || profile_is_crowded(a->profile)))
        alloc.shallow_from = alloc.table.row_count + 1;
    return alloc.shallow_from != UINT32_MAX;
}

/* The row of a site. When room is short, a new site is distinguished from others only by its
 * innermost frame. */
static uint32_t site_of(struct agent *a, class_id klass, thread_id thread,
                        struct traces_stack *stack)
{
    bool may_add = !is_crowded(a);
    trace_id trace = may_add ? traces_of(a, thread, stack) : traces_find(a, thread, stack);
    uint32_t row = ALLOC_TABLE_OTHER;
    if (trace || may_add)
        row = row_of(a, klass, trace ? trace : 1, may_add); /* 1 is the system trace */
    if (row != ALLOC_TABLE_OTHER || may_add)
        return row;
    if (stack->count > 1)
        stack->count = 1;
    trace = traces_of(a, thread, stack);
    return row_of(a, klass, trace ? trace : 1, 1);
}

/* Asks the VM for the stack and the class, and returns the row. 0: a call of the agent made the
 * object. */
static uint32_t ask_row(JNIEnv *env, jobject object, jclass klass, thread_id thread, int skip)
{
    struct agent *a = alloc.agent;
    struct traces_stack stack;
    uint32_t row = ALLOC_TABLE_OTHER;
    class_id id;
    if (agent_lock_is_mine(a)) {
        atomic_fetch_add(&alloc.lost.own, 1);
        return 0;
    }
    traces_take(a, NULL, skip, alloc.depth, &stack);
    if (!klass)
        klass = (*env)->GetObjectClass(env, object);
    if (!agent_enter_in_time(a))
        return row;
    id = a->closed ? 0 : names_class(a, klass);
    if (id)
        row = site_of(a, id, thread, &stack);
    agent_unlock(a);
    return row;
}

/* ---- allocations */

static uint64_t ask_size(jobject object)
{
    jlong size = 0;
    (*alloc.jvmti)->GetObjectSize(alloc.jvmti, object, &size);
    return (uint64_t)size;
}

static uint32_t measure_of(JNIEnv *env, const struct alloc_seen *seen)
{
    int32_t length = seen->shape == ALLOC_SHAPE_ARRAY ? seen->length : -1;
    jclass klass;
    uint32_t measure;
    if (seen->shape == ALLOC_SHAPE_ANY)
        return 0;
    klass = (*env)->GetObjectClass(env, seen->object);
    measure = alloc_size_measure(alloc.jvmti, klass, ask_size(seen->object), length);
    (*env)->DeleteLocalRef(env, klass);
    return measure;
}

/* Keys from before the last collection are never looked for again. The first key after a collection
 * therefore removes all older keys. */
static void remember(uint64_t key, uint32_t epoch, struct alloc_found found)
{
    uint32_t kept = alloc.keys_epoch;
    if (kept != epoch && epoch == alloc.epoch &&
        atomic_compare_exchange_strong(&alloc.keys_epoch, &kept, epoch))
        alloc_table_forget(&alloc.table);
    alloc_table_remember(&alloc.table, key, found);
}

/* The site of an allocation. Row 0: a call of the agent made the object. */
static struct alloc_found find_site(JNIEnv *env, const struct alloc_seen *seen)
{
    const struct thread *t = alloc.agent->options.thread ? threads_here() : NULL;
    thread_id thread = t ? t->id : 0;
    uint64_t key = 0, class_key = seen->class_key;
    uint32_t epoch = alloc.epoch;
    jclass klass = seen->klass;
    struct alloc_found found;
    if (!class_key) {
        if (!klass)
            klass = (*env)->GetObjectClass(env, seen->object);
        class_key = names_known_class(alloc.agent, klass);
    }
    if (class_key)
        key = alloc_stack_key(env, alloc.depth + seen->skip);
    if (key) {
        key = alloc_stack_mix(key, class_key + ((uint64_t)epoch << 40));
        key = alloc_stack_mix(key, thread) | 1;
        found = alloc_table_find(&alloc.table, key);
        if (found.row)
            return found;
    } else {
        atomic_fetch_add_explicit(&alloc.lost.no_walk, 1, memory_order_relaxed);
    }
    found.row = ask_row(env, seen->object, klass, thread, seen->skip);
    found.measure = measure_of(env, seen);
    if (key && found.row)
        remember(key, epoch, found);
    return found;
}

static uint64_t size_of(const struct alloc_seen *seen, uint32_t measure)
{
    if (seen->bytes)
        return seen->bytes;
    return measure ? alloc_size_of(measure, seen->length) : ask_size(seen->object);
}

static void count(JNIEnv *env, const struct alloc_seen *seen)
{
    struct alloc_found found;
    uint64_t bytes, chain;
    if (!alloc.runs)
        return;
    if (vm_heap_is_making()) {
        atomic_fetch_add(&alloc.lost.own, 1);
        return;
    }
    chain = alloc_room_expect(seen->object);
    found = find_site(env, seen);
    alloc_room_expect_chain(chain);
    if (!found.row)
        return;
    if (found.row == ALLOC_TABLE_OTHER)
        atomic_fetch_add_explicit(&alloc.lost.no_row, 1, memory_order_relaxed);
    if (found.row >= atomic_load_explicit(&alloc.shallow_from, memory_order_relaxed))
        atomic_fetch_add_explicit(&alloc.lost.shallow, 1, memory_order_relaxed);
    bytes = size_of(seen, found.measure);
    alloc_watch_count(
        alloc.interval ? alloc_table_count_sample(&alloc.table, found.row, bytes, seen->probability)
                       : alloc_table_count(&alloc.table, found.row, bytes));
    if (alloc_watch_full() ||
        (*alloc.jvmti)
                ->SetTag(alloc.jvmti, seen->object, alloc_share_tag(&alloc.share, found.row)) !=
            JVMTI_ERROR_NONE)
        atomic_fetch_add_explicit(&alloc.lost.no_tag, 1, memory_order_relaxed);
}

void alloc_count(JNIEnv *env, const struct alloc_seen *seen)
{
    _Atomic uint32_t *inside = gate_enter(&gate);
    if (!inside)
        return;
    count(env, seen);
    gate_leave(inside);
}

static double probability_of(JNIEnv *env, jobject object)
{
    jclass klass = (*env)->GetObjectClass(env, object);
    jboolean is_array = JNI_FALSE;
    jlong bytes = 0;
    (*alloc.jvmti)->IsArrayClass(alloc.jvmti, klass, &is_array);
    (*alloc.jvmti)->GetObjectSize(alloc.jvmti, object, &bytes);
    (*env)->DeleteLocalRef(env, klass);
    return alloc_probability((uint64_t)bytes, is_array ? (*env)->GetArrayLength(env, object) : -1);
}

/* The identity hash of the object, which is random, decides. An object that is reported twice is
 * therefore drawn once or not at all. */
static bool is_drawn(jobject object, double probability)
{
    uint64_t random;
    jint hash = 0;
    (*alloc.jvmti)->GetObjectHashCode(alloc.jvmti, object, &hash);
    random = alloc_stack_mix((uint64_t)hash + 1, 0x9e3779b97f4a7c15u);

    return splitmix_fraction(random) < probability;
}

void alloc_count_value(void)
{
    if (alloc.runs)
        atomic_fetch_add_explicit(&alloc.lost.values, 1, memory_order_relaxed);
}

static void count_once(JNIEnv *env, const struct alloc_seen *seen)
{
    struct alloc_seen drawn = *seen;
    jlong tag = 0;
    if (!alloc.runs ||
        (*alloc.jvmti)->GetTag(alloc.jvmti, seen->object, &tag) != JVMTI_ERROR_NONE || tag != 0)
        return;
    if (drawn.probability == 0)
        drawn.probability = alloc.interval ? probability_of(env, seen->object) : 1;
    if (seen->probability == 0 && drawn.probability < 1 &&
        !is_drawn(seen->object, drawn.probability))
        return;
    count(env, &drawn);
}

void alloc_count_once(JNIEnv *env, const struct alloc_seen *seen)
{
    _Atomic uint32_t *inside = gate_enter(&gate);
    if (!inside)
        return;
    count_once(env, seen);
    gate_leave(inside);
}

/* Needs no gate: events of the VM are waited for by vm_event_settle() (vm/vm_event.h). */
void alloc_tag_again(JNIEnv *env, jobject object, jclass klass)
{
    const struct alloc_seen seen = {.object = object, .klass = klass};
    jlong tag = 0;
    uint32_t row;
    if (!alloc.runs || alloc_watch_full() ||
        (*alloc.jvmti)->GetTag(alloc.jvmti, object, &tag) != JVMTI_ERROR_NONE || tag != 0)
        return;
    row = find_site(env, &seen).row;
    if (row)
        (*alloc.jvmti)->SetTag(alloc.jvmti, object, alloc_share_tag(&alloc.share, row));
}

double alloc_probability(uint64_t bytes, int64_t length)
{
    if (!alloc.interval || !alloc.source)
        return 1;
    return alloc_table_probability(alloc.source->weight(bytes, length), (double)alloc.interval);
}

/* ---- life */

enum { CLOSE_MS = 2000 };

int alloc_prepare(const struct options *o)
{
    lookup_key_init(&alloc.hash_key);
    arena_init(&alloc.arena, budget_bytes(o->mem_bytes, BUDGET_SITE_INDEX));
    alloc.shallow_from = UINT32_MAX;
    if (alloc_table_init(&alloc.table, budget_bytes(o->mem_bytes, BUDGET_SITES),
                         budget_bytes(o->mem_bytes, BUDGET_SITE_KEYS)) != 0 ||
        alloc_share_init(&alloc.share, &alloc.table) != 0) {
        log_error("no memory for the allocation sites: lower mem=");
        return -ENOMEM;
    }
    alloc.interval = options_alloc_of(o)->sample_bytes;
    alloc.depth = o->depth;
    return 0;
}

/* Runs in the VM's pause. Code and classes may be gone after it. Context: gc. */
static void on_gc_finish(void *data)
{
    atomic_fetch_add_explicit(&alloc.epoch, 1, memory_order_relaxed);
}

static struct vm_event_subscriber on_collection = {.event = VM_EVENT_GC_FINISH,
                                                   .on.gc_finish = on_gc_finish};

/* Opens the environment, and subscribes to the ends of collections, because a key is valid only
 * until the next collection. */
static int open_jvmti(struct agent *a)
{
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    if (vm_env_open(&a->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &alloc.jvmti, &why) == 0 &&
        vm_event_add(&on_collection, &why) == 0)
        return 0;
    log_error("no allocation sites: %s", vm_env_say(&why, text));
    return E_UNSUPPORTED;
}

/* Takes the first source that works in this VM. */
int alloc_load(struct agent *a)
{
    static const struct alloc_source *const sources[] = {&alloc_vm, &alloc_inject};
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    alloc.agent = a;
    if (open_jvmti(a) != 0)
        return E_UNSUPPORTED;
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (sources[i]->load(a, &why) == 0) {
            alloc.source = sources[i];
            return 0;
        }
    }
    log_error("no allocation sites: %s", vm_env_say(&why, text));
    vm_event_remove(&on_collection);
    vm_env_close(alloc.jvmti);
    alloc.jvmti = NULL;
    return E_UNSUPPORTED;
}

int alloc_start(struct agent *a, JNIEnv *env)
{
    alloc_table_add_row(&alloc.table, names_class_named(a, profile_cstring(a->profile, "<other>")),
                        1, HPROF_SERIAL_TRACE_SYSTEM);
    alloc_stack_prepare(a, env);
    if (!alloc.interval)
        alloc_room_make(alloc.jvmti, env);
    alloc_watch_start();
    gate_open(&gate);
    alloc.runs = 1;
    if (alloc.source->start(a, env) != 0) {
        alloc.runs = 0;
        log_error("allocations cannot be tracked in this VM by %s", alloc.source->name);
        return E_UNSUPPORTED;
    }
    return 0;
}

void alloc_thread(const struct agent *a, const struct thread *t)
{
    if (!alloc.is_ready && a->attached && t->vm->ref && alloc.source && alloc.source->skips_first)
        alloc.late_threads++;
}

void alloc_ready(void)
{
    alloc.is_ready = true;
}

uint32_t alloc_late_threads(void)
{
    return alloc.late_threads;
}

uint32_t alloc_classes_left(void)
{
    return alloc.source && alloc.source->classes_left ? alloc.source->classes_left() : 0;
}

void alloc_stop(void)
{
    if (alloc.runs || alloc.is_paused)
        alloc.source->stop();
    vm_event_remove(&on_collection);
    alloc.runs = alloc.is_paused = false;
}

int alloc_release(struct agent *a, JNIEnv *env)
{
    int error = alloc.source ? alloc.source->close(a, env) : 0;
    if (error || !gate_close(&gate, CLOSE_MS)) {
        log_error("heap=: somebody still counts an allocation");
        return -EBUSY;
    }
    alloc_room_forget();
    alloc_stack_forget();
    alloc_watch_stop();
    if (alloc.jvmti)
        vm_env_close(alloc.jvmti);
    alloc_share_done(&alloc.share);
    alloc_table_done(&alloc.table);
    arena_done(&alloc.arena);
    memset(&alloc, 0, sizeof(alloc));
    return 0;
}
