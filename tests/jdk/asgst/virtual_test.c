/*
 * virtual_test.c - the stack of the calling thread as text, walked in a signal handler; called from
 * AsgstVirtual.java.
 *
 * A line a frame: "TYPE CLASS.METHOD:LINE WHERE", TYPE the number in asgst.h, WHERE "stack", or
 * "heap" where the frame has no registers. Also an agent. SPDX-License-Identifier: Apache-2.0
 */
#include <asgst.h>
#include <jvmti.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "verdict.h"

enum { FRAMES = 1000, NAME = 200, STATE_IN_NATIVE = 0x400005 };

struct walk {
    ASGST_Frame frames[FRAMES];
    int options, kind, count, end, is_same_again, state;
};
static struct walk walk;
static char text[FRAMES * 2 * NAME];

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities want;
    memset(&want, 0, sizeof(want));
    return agent_start(vm, &want);
}

static void on_walk(ASGST_Iterator *it, void *arg)
{
    struct walk *w = arg;
    ASGST_Frame f;
    int again = 0;
    while (w->count < FRAMES && ASGST_NextFrame(it, &w->frames[w->count]) == 1)
        w->count++;
    w->end = ASGST_State(it);
    ASGST_RewindIterator(it);
    while (again < w->count && ASGST_NextFrame(it, &f) == 1 &&
           memcmp(&f, &w->frames[again], sizeof(f)) == 0)
        again++;
    w->is_same_again = again == w->count;
}

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    walk.count = walk.end = walk.is_same_again = 0;
    walk.state = ASGST_ThreadState();
    walk.kind = ASGST_RunWithIterator(ucontext, walk.options, on_walk, &walk);
}

static void name_frame(const ASGST_Frame *f, char *to, size_t size)
{
    char klass[NAME] = "", method[NAME] = "";
    ASGST_MethodInfo info = {.method_name = method, .method_name_length = NAME};
    ASGST_ClassInfo class_info = {.class_name = klass, .class_name_length = NAME};
    if (f->method) {
        ASGST_GetMethodInfo(f->method, &info);
        ASGST_GetClassInfo(info.klass, &class_info);
    }
    int line = f->method && f->bci >= 0 ? ASGST_GetMethodLineNumber(f->method, f->bci) : -1;
    snprintf(to, size, "%d %s.%s:%d %s\n", f->type, klass, method, line,
             !f->sp && !f->fp ? "heap" : "stack");
}

JNIEXPORT jstring JNICALL Java_AsgstVirtual_walk(JNIEnv *env, jclass self, jboolean with_c)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    char *at = text;
    sigaction(SIGUSR1, &action, NULL);
    walk.options = with_c ? ASGST_INCLUDE_NON_JAVA_FRAMES : 0;
    raise(SIGUSR1);
    for (int i = 0; i < walk.count; i++) {
        name_frame(&walk.frames[i], at, sizeof(text) - (size_t)(at - text));
        at += strlen(at);
    }
    if (walk.kind != ASGST_JAVA_TRACE || walk.end != ASGST_NO_FRAME || !walk.is_same_again ||
        walk.state != STATE_IN_NATIVE)
        return verdict(env, fail("kind %d, %d frames, end %d, again %d, state %x", walk.kind,
                                 walk.count, walk.end, walk.is_same_again, walk.state));
    return (*env)->NewStringUTF(env, text);
}
