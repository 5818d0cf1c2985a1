/*
 * method_ids.h - the method ids that AsyncGetCallTrace needs: those of each class, made beforehand.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef METHOD_IDS_H
#define METHOD_IDS_H

#include <jvmti.h>

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
