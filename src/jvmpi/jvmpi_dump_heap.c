/*
 * jvmpi_dump_heap.c - HEAP_DUMP: see jvmpi_dump.h.
 *
 * The stacks, and the monitors that threads have entered, are taken just before the walk, and
 * threads run in between. So a root gets its frame only if the walk finds the same method in that
 * frame, and a monitor is a root only if the walk finds its object. The VM itself reports only the
 * monitors for which threads contend.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_dump.h"
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_refs.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_stacks.h"
#include "vm/vm_heap.h"

enum {
    /* how often the walk is repeated while an object's class is newer than the layouts */
    WALKS = 10,
    LOCALS = 65536, /* count of local references that -Xcheck:jni accepts */
    NO_FRAME = -1,
    MB_LOG2 = 20,
};

/* The object of a monitor that a thread has entered. */
struct entered {
    jobjectID id;
    bool is_put;
};

struct heap {
    struct jvmpi_dump dump;
    struct jvmpi_stacks stacks;
    struct entered *entered;
    jint entered_count;
    bool failed;   /* there was no memory for `entered` */
    uint32_t walk; /* the number that jvmpi_refs_begin_walk() returned */
    /* index of the last root's stack: the roots of one thread mostly come in a row */
    jint last;
};

/* ---- roots, in the walk */

/* The stack of the thread with this tag. NULL: the thread is younger than the stacks, or no agent
 * knows it. */
static const struct jvmpi_stack *stack_of(struct heap *h, jlong thread_tag)
{
    const struct jvmpi_stacks *s = &h->stacks;
    jobjectID id = jvmpi_ids_from_tag(thread_tag);
    for (jint i = 0; id && i < s->count; i++) {
        jint at = (h->last + i) % s->count;
        if (s->all[at].thread_id == id) {
            h->last = at;
            return &s->all[at];
        }
    }
    return NULL;
}

static void put_simple(struct heap *h, uint8_t kind, jobjectID id)
{
    jvmpi_bytes_u1(&h->dump.bytes, kind);
    jvmpi_bytes_pointer(&h->dump.bytes, id);
}

static void put_global(struct heap *h, jobjectID id)
{
    jobject ref = jvmpi_refs_next(id, h->walk);
    put_simple(h, ref ? JVMPI_GC_ROOT_JNI_GLOBAL : JVMPI_GC_ROOT_UNKNOWN, id);
    if (ref)
        jvmpi_bytes_pointer(&h->dump.bytes, ref);
}

static void put_thread(struct heap *h, jobjectID id)
{
    const struct jvmpi_stack *s = stack_of(h, (jlong)(uintptr_t)id);
    put_simple(h, s ? JVMPI_GC_ROOT_THREAD_BLOCK : JVMPI_GC_ROOT_UNKNOWN, id);
    if (s)
        jvmpi_bytes_pointer(&h->dump.bytes, s->env);
}

static void put_of_frame(struct heap *h, uint8_t kind, jobjectID id, jlong thread_tag, jint depth,
                         jmethodID method)
{
    const struct jvmpi_stack *s = stack_of(h, thread_tag);
    jint frame = NO_FRAME;
    put_simple(h, s ? kind : JVMPI_GC_ROOT_UNKNOWN, id);
    if (!s)
        return;
    if (depth >= s->own && depth < s->count && s->frames[depth].method == method)
        frame = depth - s->own;
    jvmpi_bytes_pointer(&h->dump.bytes, s->env);
    jvmpi_bytes_u4(&h->dump.bytes, (uint32_t)frame);
}

/* The entry for an object; NULL: no thread has entered its monitor. */
static struct entered *entered_of(const struct heap *h, jobjectID id)
{
    for (jint i = 0; i < h->entered_count; i++)
        if (h->entered[i].id == id)
            return &h->entered[i];
    return NULL;
}

/* Write the root of an entered monitor, once, when the walk has found the monitor's object. */
static void put_entered(struct heap *h, jobjectID id)
{
    struct entered *e = entered_of(h, id);
    if (!e || e->is_put)
        return;
    e->is_put = true;
    put_simple(h, JVMPI_GC_ROOT_MONITOR_USED, id);
}

static void put_root(struct jvmpi_dump *d, jvmtiHeapReferenceKind kind,
                     const jvmtiHeapReferenceInfo *info, jobjectID id, bool is_class)
{
    struct heap *h = d->arg;
    if (d->level == JVMPI_DUMP_LEVEL_0 || (is_class && !jvmpi_dump_want_class(d, id)))
        return;
    put_entered(h, id);
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
        put_global(h, id);
        break;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
        put_simple(h, is_class ? JVMPI_GC_ROOT_STICKY_CLASS : JVMPI_GC_ROOT_UNKNOWN, id);
        break;
    case JVMTI_HEAP_REFERENCE_MONITOR:
        if (!entered_of(h, id))
            put_simple(h, JVMPI_GC_ROOT_MONITOR_USED, id);
        break;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        put_of_frame(h, JVMPI_GC_ROOT_JAVA_FRAME, id, info->stack_local.thread_tag,
                     info->stack_local.depth, info->stack_local.method);
        break;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        put_of_frame(h, JVMPI_GC_ROOT_JNI_LOCAL, id, info->jni_local.thread_tag,
                     info->jni_local.depth, info->jni_local.method);
        break;
    case JVMTI_HEAP_REFERENCE_THREAD:
        put_thread(h, id);
        break;
    default:
        put_simple(h, JVMPI_GC_ROOT_UNKNOWN, id);
    }
}

/* ---- the dump */

static void add_entered(struct heap *h, jobjectID id)
{
    struct entered *all;
    if (!id || entered_of(h, id))
        return;
    all = realloc(h->entered, (size_t)(h->entered_count + 1) * sizeof(*all));
    h->failed |= !all;
    if (!all)
        return;
    h->entered = all;
    all[h->entered_count++] = (struct entered){id, false};
}

static void add_entered_by(struct heap *h, JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobject *owned = NULL;
    jint count = 0;

    jvmtiError error = vm_heap_owned_monitors(jvmti, thread, &count, &owned);

    jvmpi_alloc_tell_held(env);
    if (error != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++)
        add_entered(h, jvmpi_alloc_named(env, owned[i]));
    (*jvmti)->Deallocate(jvmti, (unsigned char *)owned);
}

/* Take the stacks and the entered monitors. Returns false if there is no memory. The local
 * references to threads and monitors would be roots themselves, so they are deleted before the
 * walk. */
static bool take_stacks(struct heap *h, JNIEnv *env)
{
    bool is_good;
    if (h->dump.level == JVMPI_DUMP_LEVEL_0)
        return true;
    jvmpi_stacks_free(&h->stacks);
    h->entered_count = 0;
    if ((*env)->PushLocalFrame(env, LOCALS) != JNI_OK)
        return false;
    is_good = jvmpi_stacks_take(&h->stacks, env);
    for (jint i = 0; is_good && i < h->stacks.count; i++)
        add_entered_by(h, env, h->stacks.all[i].thread);
    (*env)->PopLocalFrame(env, NULL);
    return is_good && !h->failed;
}

static bool walk(struct heap *h, JNIEnv *env)
{
    h->walk = jvmpi_refs_begin_walk();
    h->last = 0;
    return take_stacks(h, env) && jvmpi_dump_walk(&h->dump, env, NULL);
}

/* Write the roots of classes that static synchronized methods have entered: such a class is in no
 * local variable. */
static void put_entered_classes(struct heap *h)
{
    for (jint i = 0; i < h->entered_count; i++) {
        const struct jvmpi_layout *l = jvmpi_layout_find(&h->dump.layouts, h->entered[i].id);
        if (l && l->part)
            put_entered(h, l->class_id);
    }
}

/* Make the dump. The program may make classes meanwhile. A walk that meets an object of such a
 * class is of no use and is repeated. The first walk is repeated also for a new class without
 * objects. If there is no dump, a line says why. */
static bool make(struct heap *h, JNIEnv *env)
{
    struct jvmpi_dump *d = &h->dump;
    int walks = 1;
    bool is_good;
    jvmpi_layout_learn(&d->layouts, env);
    is_good = walk(h, env);
    while (is_good && (d->is_stale || walks == 1) && walks < WALKS &&
           jvmpi_dump_begin_again(d, env)) {
        is_good = walk(h, env);
        walks++;
    }
    put_entered_classes(h);
    is_good = is_good && jvmpi_stacks_trace(&h->stacks, env);
    if (d->bytes.failed)
        jvmpi_bridge_say(
            "no HEAP_DUMP: there is no room for %zu MB, in memory or in TMPDIR, /var/tmp or /tmp",
            d->bytes.room_refused >> MB_LOG2);
    else if (!is_good)
        jvmpi_bridge_say("no HEAP_DUMP: no memory");
    else if (d->is_stale)
        jvmpi_bridge_say("no HEAP_DUMP: classes were made each of %d times that it was begun",
                         walks);
    return is_good && !d->is_stale && jvmpi_send_tells();
}

static void send(struct heap *h, JNIEnv *env, int agent)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT, .env_id = env};
    e.u.heap_dump.dump_level = h->dump.level;
    e.u.heap_dump.begin = h->dump.bytes.begin;
    e.u.heap_dump.end = h->dump.bytes.begin + h->dump.bytes.len;
    e.u.heap_dump.num_traces = h->stacks.count;
    e.u.heap_dump.traces = h->stacks.traces;
    jvmpi_send_to(1u << agent, &e);
}

jint jvmpi_dump_heap_request(JNIEnv *env, int agent, const JVMPI_HeapDumpArg *arg)
{
    struct heap h = {.walk = 0};
    jint level = arg ? arg->heap_dump_level : JVMPI_DUMP_LEVEL_2;
    bool is_good;
    if (level != JVMPI_DUMP_LEVEL_0 && level != JVMPI_DUMP_LEVEL_1 && level != JVMPI_DUMP_LEVEL_2)
        return JVMPI_FAIL;
    jvmpi_gc_disable(); /* the ids in the records stay valid until the agent has read them */
    jvmpi_dump_open(&h.dump, env, level);
    h.dump.root = put_root;
    h.dump.arg = &h;
    is_good = make(&h, env);
    if (is_good)
        send(&h, env, agent);
    jvmpi_stacks_free(&h.stacks);
    free(h.entered);
    jvmpi_dump_close(&h.dump);
    jvmpi_gc_enable();
    return is_good ? JVMPI_SUCCESS : JVMPI_FAIL;
}
