/*
 * ended.c - a queue of times that have ended; see ended.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/ended.h"
#include "agent/agent.h"
#include "agent/names/names.h"
#include "agent/names/traces.h"
#include "vm/vm_env.h"

enum { COUNTED_AT_ONCE = 1024 /* records that a thread of the program counts at most */ };

/* A record as it lies in the queue: its frames follow at once. */
union taken {
    struct ended ended;
    unsigned char bytes[ENDED_BYTES_MAX + (TRACES_DEPTH_MAX + 1) * sizeof(jvmtiFrameInfo)];
};

int ended_init(struct ended_queue *q, size_t room, enum lock_rank rank)
{
    return pending_init(&q->pending, room, rank);
}

void ended_done(struct ended_queue *q, JNIEnv *env)
{
    union taken taken;
    while (q->pending.size && pending_take(&q->pending, &taken, sizeof(taken)) > 0)
        if (taken.ended.klass_ref && env)
            (*env)->DeleteGlobalRef(env, taken.ended.klass_ref);
    pending_done(&q->pending);
}

/* ---- on the thread itself */

/* Note the class of the object: its number, or a reference if the class is new. */
static void note_class(const struct ended_queue *q, JNIEnv *env, jobject object, struct ended *e)
{
    jclass klass = object ? (*env)->GetObjectClass(env, object) : NULL;
    if (!klass)
        return;
    e->klass = names_known_class(q->agent, klass);
    if (!e->klass)
        e->klass_ref = (*env)->NewGlobalRef(env, klass);
}

bool ended_put(struct ended_queue *q, JNIEnv *env, struct ended *e, jobject object, int skip)
{
    struct traces_stack stack;
    note_class(q, env, object, e);
    scope_read(&e->scopes);
    traces_take(q->agent, NULL, skip, q->agent->options.depth, &stack);
    e->is_cut = stack.is_cut;
    e->frame_bytes = (uint32_t)stack.count * (uint32_t)sizeof(stack.frames[0]);
    const struct pending_piece pieces[] = {{e, q->bytes}, {stack.frames, e->frame_bytes}};
    if (pending_put(&q->pending, pieces, sizeof(pieces) / sizeof(pieces[0])))
        return true;
    if (e->klass_ref)
        (*env)->DeleteGlobalRef(env, e->klass_ref);
    return false;
}

/* ---- with the agent's lock */

static void drain(struct ended_queue *q, JNIEnv *env, uint32_t most)
{
    union taken taken;
    struct traces_stack stack;
    struct ended *e = &taken.ended;
    for (uint32_t i = 0; i < most && pending_take(&q->pending, &taken, sizeof(taken)) > 0; i++) {
        const void *frames = taken.bytes + q->bytes;
        traces_again(q->agent, frames, e->frame_bytes, e->is_cut, &stack);
        if (e->klass_ref) {
            e->klass = names_class(q->agent, e->klass_ref);
            (*env)->DeleteGlobalRef(env, e->klass_ref);
        }
        q->count(q->agent, e, &stack);
    }
}

void ended_help(struct ended_queue *q, JNIEnv *env)
{
    if (!agent_try_lock(q->agent))
        return;
    if (!q->agent->closed)
        drain(q, env, COUNTED_AT_ONCE);
    agent_unlock(q->agent);
}

void ended_drain(struct ended_queue *q)
{
    JNIEnv *env = vm_jni(&q->agent->vm);
    if (env)
        drain(q, env, UINT32_MAX);
}
