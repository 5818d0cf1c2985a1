/*
 * stack_lines.c - see stack_lines.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/stack_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/names.h"
#include "safe/own_class.h"
#include "vm/vm_names.h"

enum { HERE_DEPTH = 64 };

jvmtiEnv *stack_lines_env(const struct agent *a)
{
    return a->names->jvmti;
}

/* The line number of a frame; 0: unknown. */
static int line_of(jvmtiEnv *jvmti, const jvmtiFrameInfo *f)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint count = 0;
    int line = 0;
    if (f->location < 0 ||
        (*jvmti)->GetLineNumberTable(jvmti, f->method, &count, &lines) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0, best = -1; i < count; i++)
        if (lines[i].start_location <= f->location && (jlong)best <= lines[i].start_location) {
            best = (jint)lines[i].start_location;
            line = lines[i].line_number;
        }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)lines);
    return line;
}

static void put_place(FILE *out, jvmtiEnv *jvmti, const jvmtiFrameInfo *f, jclass klass)
{
    char *file = NULL;
    int line = line_of(jvmti, f);
    (void)(*jvmti)->GetSourceFileName(jvmti, klass, &file);
    if (f->location < 0)
        fputs("Native Method", out);
    else if (file && line)
        fprintf(out, "%s:%d", file, line);
    else
        fputs(file ? file : "Unknown Source", out);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)file);
}

static void put_frame(FILE *out, jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *f)
{
    struct vm_names_method m;
    const char *name;
    size_t len;
    if (!vm_names_method(jvmti, env, f->method, &m))
        return;
    name = vm_names_class(m.signature, &len);
    if (!own_class_is(name, len)) {
        fputs("\tat ", out);
        for (size_t i = 0; i < len; i++)
            putc(name[i] == '/' ? '.' : name[i], out);
        fprintf(out, ".%s(", m.name);
        put_place(out, jvmti, f, m.klass);
        fputs(")\n", out);
    }
    vm_names_done(jvmti, env, &m);
}

char *stack_lines_of(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *frames, jint count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (jint i = 0; i < count; i++)
        put_frame(out, jvmti, env, &frames[i]);
    fclose(out);
    return text;
}

/*
 * Whether the frame is a constructor's or a tracker's. *ret_is_last: it is a constructor of the
 * class `made`.
 */
static bool is_making(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *f, jclass made,
                      bool *ret_is_last)
{
    struct vm_names_method m;
    const char *name;
    bool is_making;
    size_t len;
    *ret_is_last = false;
    if (!vm_names_method(jvmti, env, f->method, &m))
        return false;
    name = vm_names_class(m.signature, &len);
    is_making = own_class_is(name, len) || strcmp(m.name, "<init>") == 0;
    *ret_is_last = is_making && (*env)->IsSameObject(env, m.klass, made);
    vm_names_done(jvmti, env, &m);
    return is_making;
}

/* How many innermost frames make the object: all up to the constructor of its own class. */
static jint making(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *frames, jint count,
                   jclass made)
{
    bool is_last = false;
    jint found = 0;
    for (jint i = 0; made && i < count && is_making(jvmti, env, &frames[i], made, &is_last); i++)
        if (is_last)
            found = i + 1;
    return found;
}

char *stack_lines_here(jvmtiEnv *jvmti, JNIEnv *env, jclass made)
{
    jvmtiFrameInfo frames[HERE_DEPTH];
    jint count = 0, skip;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, HERE_DEPTH, frames, &count) != JVMTI_ERROR_NONE)
        return NULL;
    skip = making(jvmti, env, frames, count, made);
    return stack_lines_of(jvmti, env, frames + skip, count - skip);
}
