/* pin.c - a native frame that calls Java: a virtual thread that parks above it keeps its carrier.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jni.h>

JNIEXPORT void JNICALL Java_Pins_callBack(JNIEnv *env, jclass klass, jobject runnable)
{
    jclass type = (*env)->GetObjectClass(env, runnable);
    jmethodID run = (*env)->GetMethodID(env, type, "run", "()V");
    if (run)
        (*env)->CallVoidMethod(env, runnable, run);
}
