/* handles.c - C code that makes objects, holds them by local references alone, and calls Java.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jni.h>

JNIEXPORT void JNICALL Java_HoldsHandles_hold(JNIEnv *env, jclass klass, jint count, jint levels)
{
    jclass held = (*env)->FindClass(env, "HoldsHandles$Held");
    jmethodID make = held ? (*env)->GetMethodID(env, held, "<init>", "()V") : NULL;
    jmethodID next = (*env)->GetStaticMethodID(env, klass, "next", "(II)V");
    for (jint i = 0; make && i < count; i++)
        if (!(*env)->NewObject(env, held, make))
            return;
    if (next)
        (*env)->CallStaticVoidMethod(env, klass, next, count, levels);
}
