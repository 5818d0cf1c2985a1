/*
 * attached.c - an agent that says with which options it was attached, and refuses "refuse".
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jni.h>
#include <stdio.h>
#include <string.h>

enum { REFUSED = 7 };

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    (void)vm;
    (void)reserved;
    if (options && strcmp(options, "refuse") == 0)
        return REFUSED;
    printf("attached with %s\n", options ? options : "");
    fflush(stdout);
    return JNI_OK;
}
