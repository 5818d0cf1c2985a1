/*
 * jit_test.c - at the end of AsgstJit's chain: type, level, bytecode index and method of every
 * frame by asgst.h, against JVM TI and what the methods' names say. jit_older.c asks
 * asgst_classic.h. SPDX-License-Identifier: Apache-2.0
 */
#include <asgst.h>
#include <asgst_ready.h>
#include <jvmti.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "jit_test.h"

enum { NOTHING, CHECK, BURN, HOLD };

static jvmtiEnv *ti;
static struct jit_truth truth;
static jmethodID methods[64], last;
static int levels[64], method_count;

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    ASGST_WaitUntilReady(-1);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof(callbacks));
    callbacks.VMInit = on_vm_init;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

JNIEXPORT void JNICALL Java_AsgstJit_setMethods(JNIEnv *env, jclass self, jobjectArray list,
                                                jintArray list_levels)
{
    method_count = (*env)->GetArrayLength(env, list);
    (*env)->GetIntArrayRegion(env, list_levels, 0, method_count, levels);
    for (int i = 0; i < method_count; i++)
        methods[i] = (*env)->FromReflectedMethod(env, (*env)->GetObjectArrayElement(env, list, i));
    last = (*env)->GetStaticMethodID(env, self, "c2_last", "(I)V");
}

JNIEXPORT void JNICALL Java_AsgstJit_callBack(JNIEnv *env, jclass self, jint how)
{
    (*env)->CallStaticVoidMethod(env, self, last, how);
}

static int starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* What a frame of each method has to be. */
static void expect(struct jit_frame *f, jmethodID id, jlocation location)
{
    char *name = NULL;
    (*ti)->GetMethodName(ti, id, &name, NULL, NULL);
    f->id = id;
    f->bci = location;
    snprintf(f->name, sizeof(f->name), "%s", name);
    (*ti)->Deallocate(ti, (unsigned char *)name);
    f->type = location == -1           ? ASGST_FRAME_JAVA_NATIVE
              : starts(f->name, "in_") ? ASGST_FRAME_JAVA_INLINED
                                       : ASGST_FRAME_JAVA;
    f->level = 0;
    for (int i = 0; i < method_count; i++) {
        if (methods[i] == id)
            f->level = levels[i];
    }
    if (starts(f->name, "in_"))
        f->level = strstr(f->name, "c2") ? 4 : 1;
}

static void ask_jvm_ti(void)
{
    jvmtiFrameInfo frames[JIT_DEPTH];
    (*ti)->GetStackTrace(ti, NULL, 0, JIT_DEPTH, frames, &truth.count);
    for (int i = 0; i < truth.count; i++)
        expect(&truth.frames[i], frames[i].method, frames[i].location);
}

struct walk {
    int good, count;
};

static void on_walk(ASGST_Iterator *it, void *arg)
{
    struct walk *w = arg;
    ASGST_Frame f;
    w->good = 1;
    for (w->count = 0; ASGST_NextFrame(it, &f) == 1; w->count++) {
        const struct jit_frame *t = &truth.frames[w->count];
        if (w->count >= truth.count)
            continue;
        if (f.type != t->type || f.comp_level != t->level || f.bci != t->bci ||
            ASGST_MethodToJMethodID(f.method) != t->id) {
            printf("frame %d: type %d level %d bci %d, wanted %s: type %d level %d bci %d\n",
                   w->count, f.type, f.comp_level, f.bci, t->name, t->type, t->level, t->bci);
            w->good = 0;
        }
    }
    w->good = w->good && w->count == truth.count;
}

static struct walk in_handler;
static int older_in_handler;

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    ASGST_RunWithIterator(ucontext, 0, on_walk, &in_handler);
    older_in_handler = jit_older_check(&truth, ucontext);
}

static void say(const char *name, bool is_good)
{
    printf("%s %s\n", is_good ? "ok" : "not ok", name);
}

static void check(void)
{
    struct walk w = {0, 0};
    struct sigaction action;
    ask_jvm_ti();
    ASGST_RunWithIterator(NULL, 0, on_walk, &w);
    say("asgst.h here", w.good);
    say("asgst_classic.h here", jit_older_check(&truth, NULL));
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    say("asgst.h in a handler", in_handler.good);
    say("asgst_classic.h in a handler", older_in_handler);
    fflush(stdout);
}

static void burn(void)
{
    volatile long sum = 0;
    for (clock_t end = clock() + 2 * CLOCKS_PER_SEC; clock() < end;)
        sum++;
}

JNIEXPORT void JNICALL Java_AsgstJit_check(JNIEnv *env, jclass self, jint how)
{
    char line[10];
    if (how == CHECK)
        check();
    if (how == BURN)
        burn();
    if (how == HOLD && !fgets(line, sizeof(line), stdin))
        puts("no line");
}
