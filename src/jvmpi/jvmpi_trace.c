/*
 * jvmpi_trace.c - see jvmpi_trace.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_trace.h"
#include <stdlib.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_thread.h"
#include "safe/own_class.h"
#include "vm/vm_names.h"

enum {
    ON_STACK = 64, /* so many frames fit on the stack; for more, memory is allocated */
    DEPTH_MAX = 1 << 16,
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

JVMPI_CallFrame jvmpi_trace_frame(JNIEnv *env, const jvmtiFrameInfo *frame)
{
    return (JVMPI_CallFrame){line_of(frame),
                             vm_names_known_id(jvmpi_bridge.vm.main, env, frame->method)};
}

/* The frames down to the outermost one of a tracker belong to the tracker; 0 if there is none. */
jint jvmpi_trace_own(JNIEnv *env, const jvmtiFrameInfo *frames, jint count)
{
    jint own = 0;
    for (jint i = 0; i < count && i < OWN_CLASS_FRAMES; i++)
        if (jvmpi_class_has_own(env, frames[i].method))
            own = i + 1;
    return own;
}

void jvmpi_trace_get(JVMPI_CallTrace *trace, jint depth)
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
    own = jvmpi_trace_own(env, frames, count);
    for (jint i = own; i < count && i - own < depth; i++) {
        trace->frames[i - own] = jvmpi_trace_frame(env, &frames[i]);
        trace->num_frames++;
    }
    jvmpi_self_speak();
    if (t)
        jvmpi_thread_let_go(env, t);
    if (frames != some)
        free(frames);
}
