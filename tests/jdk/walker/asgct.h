/*
 * asgct.h - to call AsyncGetCallTrace: its structs, and the method ids that it needs, those of each
 * class, made beforehand. The agent has the two events below.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ASGCT_H
#define ASGCT_H

#include <dlfcn.h>
#include <jvmti.h>

struct asgct_frame {
    jint bci;
    jmethodID method;
};

struct asgct_trace {
    JNIEnv *env;
    jint count;
    struct asgct_frame *frames;
};

typedef void (*asgct_function)(struct asgct_trace *trace, jint depth, void *ucontext);

/* NULL where the VM has none. */
static asgct_function find_asgct(void)
{
    return (asgct_function)dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
}

/* Asking for the methods makes their ids. */
static void JNICALL on_class_prepare(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass klass)
{
    jint count;
    jmethodID *methods;
    if ((*ti)->GetClassMethods(ti, klass, &count, &methods) == 0)
        (*ti)->Deallocate(ti, (unsigned char *)methods);
}

/* AsyncGetCallTrace refuses to work unless somebody wants this event. */
static void JNICALL on_class_load(jvmtiEnv *ti, JNIEnv *env, jthread thread, jclass klass)
{
}

/* For the classes that were there before the events. */
static void make_method_ids(jvmtiEnv *ti, JNIEnv *env)
{
    jclass *classes;
    jint count;
    if ((*ti)->GetLoadedClasses(ti, &count, &classes) != 0)
        return;
    for (jint i = 0; i < count; i++)
        on_class_prepare(ti, env, NULL, classes[i]);
    (*ti)->Deallocate(ti, (unsigned char *)classes);
}

#endif
