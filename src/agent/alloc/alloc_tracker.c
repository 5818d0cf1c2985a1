/*
 * alloc_tracker.c - see alloc_source.h.
 *
 * Frames that lie between the native method and the program are skipped: the native method itself,
 * the Java method of the tracker that calls it, and for objects the constructor of Object.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_source.h"
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_code.h"
#include "agent/alloc/alloc_countdown.h"
#include "agent/log.h"
#include "classfile/opcode.h"
#include "vm/injector.h"
#include "vm/tracker.h"

enum {
    SKIP_ARRAY = 2,  /* the native method and the Java method */
    SKIP_OBJECT = 3, /* the same, and Object.<init> */
    KLASS_AT = 8,    /* offset of the class word in an object */
};

static struct alloc_countdown countdown;

/* ---- native methods */

static void JNICALL object_made(JNIEnv *env, jclass self, jobject object, jint klass)
{
    const struct alloc_seen seen = {.object = object,
                                    .class_key = (uint32_t)klass,
                                    .probability = 1,
                                    .skip = SKIP_OBJECT,
                                    .shape = ALLOC_SHAPE_OBJECT};
    alloc_count(env, &seen);
}

static void JNICALL array_made(JNIEnv *env, jclass self, jobject array, jint klass, jint length)
{
    const struct alloc_seen seen = {.object = array,
                                    .class_key = (uint32_t)klass,
                                    .probability = 1,
                                    .skip = SKIP_ARRAY,
                                    .shape = ALLOC_SHAPE_ARRAY,
                                    .length = length};
    alloc_count(env, &seen);
}

/* Counts a new array of arrays and the arrays in it. Such an array holds only new arrays and nulls.
 */
static void count_arrays(JNIEnv *env, jobject array, int skip)
{
    const struct alloc_seen seen = {.object = array, .skip = skip};
    char *signature = NULL;
    jclass klass = (*env)->GetObjectClass(env, array);
    jvmtiEnv *jvmti = injector_env(); /* exists after the last recording, too */
    bool is_nested = false;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) == JVMTI_ERROR_NONE) {
        is_nested = signature[0] == '[' && signature[1] == '[';
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, klass);
    alloc_count_once(env, &seen);
    for (jsize i = 0, n = is_nested ? (*env)->GetArrayLength(env, array) : 0; i < n; i++) {
        jobject inner = (*env)->GetObjectArrayElement(env, array, i);
        if (!inner)
            break; /* the further dimensions were given no length */
        count_arrays(env, inner, skip);
        (*env)->DeleteLocalRef(env, inner);
    }
}

static void JNICALL arrays_made(JNIEnv *env, jclass self, jobject array)
{
    count_arrays(env, array, SKIP_ARRAY);
}

static void JNICALL maybe_made(JNIEnv *env, jclass self, jobject object)
{
    const struct alloc_seen seen = {.object = object, .skip = SKIP_ARRAY};
    if (object)
        alloc_count_once(env, &seen);
}

static void JNICALL sampled(JNIEnv *env, jclass self, jobject object, jlong at, jint length)
{
    const struct alloc_seen seen = {.object = object,
                                    .probability = alloc_probability(0, length),
                                    .skip = length < 0 ? SKIP_OBJECT : SKIP_ARRAY};
    if (alloc_countdown_take(&countdown, at, length))
        alloc_count(env, &seen);
}

uint64_t alloc_tracker_weight(uint64_t bytes, int64_t length)
{
    return alloc_countdown_weight(length);
}

static const JNINativeMethod natives[] = {
    {(char *)"objectMade", (char *)"(Ljava/lang/Object;I)V", (void *)object_made},
    {(char *)"arrayMade", (char *)"(Ljava/lang/Object;II)V", (void *)array_made},
    {(char *)"maybeMade", (char *)"(Ljava/lang/Object;)V", (void *)maybe_made},
    {(char *)"arraysMade", (char *)"(Ljava/lang/Object;)V", (void *)arrays_made},
    {(char *)"sampled", (char *)ALLOC_COUNTDOWN_SIGNATURE, (void *)sampled},
};

enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

/* ---- the class */

/* Writes the call native(o, U.getInt(o, 8)), or for an array native(o, U.getInt(o, 8), U.getInt(o,
 * LENGTH_AT)). */
static void write_exact(struct alloc_code *c, const char *name, const char *native, bool is_array)
{
    enum { STACK = 6 };
    alloc_code_op(c, OP_ALOAD_0);
    alloc_code_push_int_of(c, KLASS_AT);
    if (is_array)
        alloc_code_push_int_of(c, c->length_at);
    alloc_code_call(c, native, is_array ? "(Ljava/lang/Object;II)V" : "(Ljava/lang/Object;I)V");
    alloc_code_method(c, name, STACK, 1);
}

static void write_methods(struct alloc_code *c)
{
    if (alloc_interval()) {
        alloc_countdown_write(&countdown, c, ALLOC_TRACKER_OBJECT, "sampled", false);
        alloc_countdown_write(&countdown, c, ALLOC_TRACKER_ARRAY, "sampled", true);
    } else {
        write_exact(c, ALLOC_TRACKER_OBJECT, "objectMade", false);
        write_exact(c, ALLOC_TRACKER_ARRAY, "arrayMade", true);
    }
    alloc_code_plain(c, ALLOC_TRACKER_MAYBE, "maybeMade");
    alloc_code_plain(c, ALLOC_TRACKER_ARRAYS, "arraysMade");
}

static int define(struct agent *a, JNIEnv *env)
{
    static const struct tracker tracker = {ALLOC_TRACKER, natives, NATIVES, NULL, false};
    struct alloc_code c;
    if (alloc_code_begin(&c, a, env, &tracker) != 0)
        return -1;
    write_methods(&c);
    return alloc_code_define(&c, a, env, &tracker);
}

int alloc_tracker_define(struct agent *a, JNIEnv *env)
{
    /* whether the class was made for samples; -1: there is no class yet */
    static int was_sampled = -1;
    bool is_sampled = alloc_interval() != 0;
    if (was_sampled >= 0 && was_sampled != is_sampled) {
        log_error("heap=: the first recording of this JVM counted %s: on JDK 8 the next ones do "
                  "the same, %s sample=",
                  was_sampled ? "samples of objects" : "every object",
                  was_sampled ? "give" : "leave out");
        return -1;
    }
    alloc_countdown_set_interval(&countdown, alloc_interval());
    if (was_sampled >= 0)
        return 0;
    if (alloc_countdown_open(&countdown) != 0 || define(a, env) != 0)
        return -1;
    was_sampled = is_sampled;
    return 0;
}
