/*
 * jvmpi_stacks.c - see jvmpi_stacks.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_stacks.h"
#include <stdlib.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_thread.h"
#include "jvmpi/jvmpi_trace.h"

enum { DEPTH = 1024 };

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
        .own = jvmpi_trace_own(env, info->frame_buffer, info->frame_count),
    };
}

bool jvmpi_stacks_take(struct jvmpi_stacks *s, JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jint count = 0;
    *s = (struct jvmpi_stacks){.count = 0};
    if ((*jvmti)->GetAllStackTraces(jvmti, DEPTH, &s->infos, &count) != JVMTI_ERROR_NONE)
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
            trace->frames[trace->num_frames++] = jvmpi_trace_frame(env, &stack->frames[at]);
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
