/*
 * lookup_agent.c - a profiler as they are: it looks AsyncGetCallTrace up by name, in each of the
 * usual ways, and calls what it finds. Knows nothing of this project.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "asgct_types.h"

typedef void (*asgct_function)(ASGCT_CallTrace *, jint, void *);

enum {
    DEPTH = 100,
    CODE_NO_CLASS_LOAD = -1,
};

static jvmtiEnv *ti;
static asgct_function by_default, by_handle;
static JNIEnv *own;
static ASGCT_CallFrame frames[DEPTH];
static ASGCT_CallTrace trace;

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    if (strstr(info->dlpi_name, "/libjvm.so"))
        *(void **)arg = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 0;
}

static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
    jint count;
    jmethodID *ids;
    if ((*ti)->GetClassMethods(ti, klass, &count, &ids) == JVMTI_ERROR_NONE)
        (*ti)->Deallocate(ti, (unsigned char *)ids);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    own = env;
}

/* The VM's own function wants this event to be enabled. */
static void JNICALL on_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
}

static const char *library_of(void *function)
{
    static char names[4][200];
    static int used;
    Dl_info info = {0};
    dladdr(function, &info);
    const char *slash = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    char *name = names[used++];
    snprintf(name, sizeof(names[0]), "%s", slash ? slash + 1 : "nowhere");
    return name;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks;
    void *libjvm = NULL;
    memset(&callbacks, 0, sizeof(callbacks));
    callbacks.ClassPrepare = on_prepare;
    callbacks.ClassLoad = on_load;
    callbacks.VMInit = on_vm_init;
    dl_iterate_phdr(visit, &libjvm);
    by_default = (asgct_function)dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    by_handle = (asgct_function)dlsym(libjvm, "AsyncGetCallTrace");
    printf("default %s\n", library_of((void *)by_default));
    printf("handle %s\n", library_of((void *)by_handle));
    printf("other %s\n", library_of(dlsym(libjvm, "JNI_GetCreatedJavaVMs")));
    printf("next %s\n", library_of(dlsym(RTLD_NEXT, "strlen")));
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, NULL);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    trace = (ASGCT_CallTrace){own, 0, frames};
    by_handle(&trace, DEPTH, ucontext);
}

/* NULL, or what was wrong: the trace of a signal against GetStackTrace's. */
JNIEXPORT jstring JNICALL Java_AsgstLookup_compare(JNIEnv *env, jclass self)
{
    jvmtiFrameInfo truth[DEPTH];
    jint count = 0;
    char text[100] = "";
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    (*ti)->GetStackTrace(ti, NULL, 0, DEPTH, truth, &count);
    /* A VM that has just begun is not to be walked yet. */
    for (int ms = 0; ms < 10000; ms++) {
        raise(SIGUSR2);
        if (trace.num_frames != CODE_NO_CLASS_LOAD)
            break;
        usleep(1000);
    }
    if (trace.num_frames != count)
        snprintf(text, sizeof(text), "%d frames, GetStackTrace %d", trace.num_frames, count);
    for (int i = 0; i < count && text[0] == 0; i++) {
        if (frames[i].method_id != truth[i].method ||
            frames[i].lineno != (truth[i].location == -1 ? -3 : truth[i].location))
            snprintf(text, sizeof(text), "frame %d: bci %d", i, frames[i].lineno);
    }
    return text[0] != 0 ? (*env)->NewStringUTF(env, text) : NULL;
}
