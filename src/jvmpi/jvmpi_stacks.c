/*
 * jvmpi_stacks.c - see jvmpi_stacks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_stacks.h"
#include <stdlib.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_thread.h"
#include "safe/own_class.h"
#include "vm/vm_names.h"
#include "vm/vm_pause.h"

enum {
    ON_STACK = 64, /* so many frames fit on the stack; for more, memory is allocated */
    DEPTH_MAX = 1 << 16,
    ALL_DEPTH = 1024, /* frames of each thread, when the stacks of all threads are taken */
    NO_LINE = -1,
    NATIVE = -3, /* the line of a native method, as in HotSpot's own call traces */
};

/* The line of a frame: the entry of the table with the greatest start that is not above the frame's
 * place. */
static jint line_of(const jvmtiFrameInfo *frame)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jvmtiLineNumberEntry *lines = NULL;
    jlocation best = -1;
    jint count = 0, line = NO_LINE;
    if (frame->location < 0)
        return NATIVE;
    if ((*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &lines) != JVMTI_ERROR_NONE)
        return NO_LINE;
    for (jint i = 0; i < count; i++) {
        if (lines[i].start_location <= frame->location && lines[i].start_location > best) {
            best = lines[i].start_location;
            line = lines[i].line_number;
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)lines);
    return line;
}

/* A frame in the form of call traces. */
static JVMPI_CallFrame to_frame(JNIEnv *env, const jvmtiFrameInfo *frame)
{
    return (JVMPI_CallFrame){line_of(frame),
                             vm_names_known_id(jvmpi_bridge.vm.main, env, frame->method)};
}

/* The frames down to the outermost one of a tracker belong to the tracker; 0 if there is none. */
static jint count_own(JNIEnv *env, const jvmtiFrameInfo *frames, jint count)
{
    jint own = 0;
    for (jint i = 0; i < count && i < OWN_CLASS_FRAMES; i++)
        if (jvmpi_class_has_own(env, frames[i].method))
            own = i + 1;
    return own;
}

void jvmpi_stacks_get(JVMPI_CallTrace *trace, jint depth)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JNIEnv *env = trace && jvmpi_bridge_is_live() ? vm_jni(&jvmpi_bridge.vm) : NULL;
    jvmtiFrameInfo some[ON_STACK], *frames = some;
    struct jvmpi_thread *t;
    jint wanted = depth > DEPTH_MAX ? DEPTH_MAX + OWN_CLASS_FRAMES : depth + OWN_CLASS_FRAMES;
    jint count = 0, own;
    if (trace)
        trace->num_frames = 0;
    if (!env || !trace->frames || depth <= 0)
        return;
    t = trace->env_id != env ? jvmpi_thread_hold(trace->env_id) : NULL;
    if (trace->env_id != env && !t)
        return;
    if (wanted > ON_STACK)
        frames = malloc((size_t)wanted * sizeof(*frames));
    jvmpi_self_hush();
    if (!frames || (*jvmti)->GetStackTrace(jvmti, t ? t->ref : NULL, 0, wanted, frames, &count) !=
                       JVMTI_ERROR_NONE)
        count = 0;
    own = count_own(env, frames, count);
    for (jint i = own; i < count && i - own < depth; i++) {
        trace->frames[i - own] = to_frame(env, &frames[i]);
        trace->num_frames++;
    }
    jvmpi_self_speak();
    if (t)
        jvmpi_thread_let_go(env, t);
    if (frames != some)
        free(frames);
}

/* ---- the stacks of all threads */

/* Whether the THREAD_START of a thread was sent. The calling thread may ask while its own
 * THREAD_START is being sent. */
static bool is_told(JNIEnv *env, JNIEnv *its_env)
{
    const struct jvmpi_thread *t = its_env ? jvmpi_thread_find(its_env) : NULL;
    return t && (its_env == env || atomic_load(&t->is_told));
}

static void add(struct jvmpi_stacks *s, JNIEnv *env, const jvmtiStackInfo *info)
{
    JNIEnv *its_env = jvmpi_thread_env(env, info->thread);
    if (!is_told(env, its_env))
        return;
    s->all[s->count++] = (struct jvmpi_stack){
        .env = its_env,
        .thread_id = jvmpi_alloc_named(env, info->thread),
        .thread = info->thread,
        .frames = info->frame_buffer,
        .count = info->frame_count,
        .own = count_own(env, info->frame_buffer, info->frame_count),
    };
}

bool jvmpi_stacks_take(struct jvmpi_stacks *s, JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jint count = 0;
    *s = (struct jvmpi_stacks){.count = 0};
    if (vm_pause_all_stacks(jvmti, ALL_DEPTH, &s->infos, &count) != JVMTI_ERROR_NONE)
        return false;
    s->all = calloc((size_t)count, sizeof(*s->all));
    for (jint i = 0; s->all && i < count; i++)
        add(s, env, &s->infos[i]);
    return s->all;
}

bool jvmpi_stacks_trace(struct jvmpi_stacks *s, JNIEnv *env)
{
    s->traces = calloc((size_t)s->count + 1, sizeof(*s->traces));
    for (jint i = 0; s->traces && i < s->count; i++) {
        const struct jvmpi_stack *stack = &s->all[i];
        JVMPI_CallTrace *trace = &s->traces[i];
        trace->env_id = stack->env;
        trace->frames = malloc((size_t)(stack->count + 1) * sizeof(*trace->frames));
        if (!trace->frames)
            return false;
        for (jint at = stack->own; at < stack->count; at++)
            trace->frames[trace->num_frames++] = to_frame(env, &stack->frames[at]);
    }
    return s->traces;
}

void jvmpi_stacks_free(struct jvmpi_stacks *s)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    for (jint i = 0; s->traces && i < s->count; i++)
        free(s->traces[i].frames);
    free(s->traces);
    free(s->all);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)s->infos);
    *s = (struct jvmpi_stacks){.count = 0};
}
