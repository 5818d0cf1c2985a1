/*
 * why.h - natives that return NULL, or what was wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WHY_H
#define WHY_H

#include <jni.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static char why[4096];

__attribute__((format(printf, 1, 2))) static int fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    return 0;
}

static jstring verdict(JNIEnv *env, bool is_good)
{
    return is_good ? NULL : (*env)->NewStringUTF(env, why);
}

#endif
