/*
 * action_threads.c - the action threads: print the stacks of all threads at one moment.
 *
 * JVM TI does not list virtual threads, so they are not printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/stack_lines.h"
#include "base/err.h"
#include "base/plural.h"
#include "vm/vm_pause.h"

extern const struct action action_threads;

enum { DEPTH = 512 };

static const char *state_text(jint state)
{
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return "blocked";
    if (state & JVMTI_THREAD_STATE_WAITING)
        return state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT ? "waiting for a time" : "waiting";
    if (state & JVMTI_THREAD_STATE_SLEEPING)
        return "sleeping";
    return state & JVMTI_THREAD_STATE_IN_NATIVE ? "in native code" : "runnable";
}

static void put_one(FILE *out, jvmtiEnv *jvmti, JNIEnv *env, const jvmtiStackInfo *info)
{
    jvmtiThreadInfo thread = {.name = NULL};
    char *lines = stack_lines_of(jvmti, env, info->frame_buffer, info->frame_count);
    (void)(*jvmti)->GetThreadInfo(jvmti, info->thread, &thread);
    fprintf(out, "\"%s\"%s prio=%d %s\n%s\n", thread.name ? thread.name : "?",
            thread.is_daemon ? " daemon" : "", (int)thread.priority, state_text(info->state),
            lines ? lines : "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)thread.name);
    if (thread.thread_group)
        (*env)->DeleteLocalRef(env, thread.thread_group);
    if (thread.context_class_loader)
        (*env)->DeleteLocalRef(env, thread.context_class_loader);
    free(lines);
}

/* Print everything in one piece, so that no other output stands in between. */
static void print_all(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiStackInfo *infos, jint count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "HPROF: %d thread%s:\n\n", (int)count, plural_s((uint64_t)count));
    for (jint i = 0; i < count; i++) {
        put_one(out, jvmti, env, &infos[i]);
        (*env)->DeleteLocalRef(env, infos[i].thread);
    }
    if (fclose(out) == 0)
        log_lines(text, size);
    free(text);
}

static int run(const struct action_call *c)
{
    jvmtiEnv *jvmti = stack_lines_env(c->agent);
    jvmtiStackInfo *infos = NULL;
    jint count = 0;
    if (vm_pause_all_stacks(jvmti, DEPTH, &infos, &count) != JVMTI_ERROR_NONE) {
        log_error("the VM does not give the stacks of its threads");
        return E_UNSUPPORTED;
    }
    print_all(jvmti, c->env, infos, count);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)infos);
    return 0;
}

const struct action action_threads = {.run = run};
