/*
 * commit_native.c - see commit.h.
 *
 * The definition of a type comes as texts (four for the type and two for each field) and as numbers
 * (two for each field). The code checks all of them, because a class of another version may call.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/commit/commit.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/commit/commit_type.h"
#include "agent/log.h"

enum {
    TYPE_TEXTS = 4,
    FIELD_TEXTS = 2,
    TEXTS_MAX = TYPE_TEXTS + FIELD_TEXTS * CUSTOM_FIELDS,
    CHARS_MAX = 127, /* of a text, in characters; the rest is cut off */
    UTF8_MAX = 3,
    TEXT_BYTES = CHARS_MAX * UTF8_MAX + 1,
    OWN_FRAMES = 2, /* HprofEvent.commit() and the native method */
};

/* The texts of a definition. */
struct texts {
    char of[TEXTS_MAX][TEXT_BYTES];
    jsize count;
};

static void copy_text(JNIEnv *env, jobjectArray array, jsize at, char ret[TEXT_BYTES])
{
    jstring text = (*env)->GetObjectArrayElement(env, array, at);
    jsize chars = text ? (*env)->GetStringLength(env, text) : 0;
    ret[0] = '\0';
    if (chars > 0)
        (*env)->GetStringUTFRegion(env, text, 0, chars < CHARS_MAX ? chars : CHARS_MAX, ret);
    if (text)
        (*env)->DeleteLocalRef(env, text);
}

static bool copy_texts(JNIEnv *env, jobjectArray array, struct texts *ret)
{
    ret->count = (*env)->GetArrayLength(env, array);
    if (ret->count < TYPE_TEXTS || ret->count > TEXTS_MAX || ret->count % FIELD_TEXTS != 0)
        return false;
    for (jsize i = 0; i < ret->count; i++)
        copy_text(env, array, i, ret->of[i]);
    return true;
}

static bool add_fields(JNIEnv *env, const struct texts *texts, jintArray numbers,
                       struct custom_type *type, struct custom_field *fields)
{
    jint of[2 * CUSTOM_FIELDS];
    type->field_count = (uint32_t)(texts->count - TYPE_TEXTS) / FIELD_TEXTS;
    if ((*env)->GetArrayLength(env, numbers) != (jsize)(2 * type->field_count))
        return false;
    (*env)->GetIntArrayRegion(env, numbers, 0, (jsize)(2 * type->field_count), of);
    for (size_t i = 0; i < type->field_count; i++) {
        jint sort = of[2 * i], unit = of[2 * i + 1];
        size_t at = TYPE_TEXTS + FIELD_TEXTS * i;
        if (sort < 0 || sort >= CUSTOM_SORTS || unit < 0 || unit >= CUSTOM_PROGRAM_UNITS)
            return false;
        fields[i] = (struct custom_field){
            .name = texts->of[at],
            .label = texts->of[at + 1],
            .sort = (uint8_t)sort,
            .unit = (uint8_t)unit,
        };
    }
    return true;
}

static struct agent *_Atomic commit_agent; /* set before Java can call a native method */

static jint define_type(const struct custom_type *type)
{
    struct agent *a = atomic_load(&commit_agent);
    static _Atomic bool has_said;
    int number = commit_type_define(type);
    if (number < 0) {
        if (!has_said)
            log_error("events of type %s are not recorded: there are %d types, or %d bytes of their"
                      " texts",
                      type->name, CUSTOM_TYPES, COMMIT_TYPE_TEXT);
        has_said = true;
    } else if (agent_enter(a)) {
        commit_note_types();
        agent_unlock(a);
    }
    return number;
}

/* Native method: define a type. Returns its number, or -1 if it has none. */
static jint JNICALL define(JNIEnv *env, jclass bridge, jobjectArray texts, jintArray numbers,
                           jlong threshold_ns, jboolean has_stack)
{
    struct texts copied;
    struct custom_field fields[CUSTOM_FIELDS];
    struct custom_type type = {.name = copied.of[0],
                               .label = copied.of[1],
                               .about = copied.of[2],
                               .category = copied.of[3],
                               .has_stack = has_stack,
                               .threshold_ns = threshold_ns > 0 ? (uint64_t)threshold_ns : 0,
                               .fields = fields};
    if (!copy_texts(env, texts, &copied) || !add_fields(env, &copied, numbers, &type, fields))
        return -1;
    return define_type(&type);
}

/* Native method: the words of commit.h as a buffer that Java can read. */
static jobject JNICALL words(JNIEnv *env, jclass bridge)
{
    return (*env)->NewDirectByteBuffer(env, (void *)commit_words, sizeof(commit_words));
}

static void JNICALL commit(JNIEnv *env, jclass bridge, jint number, jlong start_ns, jlong end_ns,
                           jlongArray numbers, jobjectArray objects)
{
    const struct custom_list *all = commit_type_all();
    struct commit c = {.start_ns = (uint64_t)start_ns,
                       .end_ns = (uint64_t)end_ns,
                       .numbers = numbers,
                       .objects = objects,
                       .skip = OWN_FRAMES};
    if (number < 0 || (uint32_t)number >= all->count || end_ns < start_ns)
        return;
    c.type = all->of[number];
    if ((*env)->GetArrayLength(env, numbers) != (jsize)c.type->field_count ||
        (objects && (*env)->GetArrayLength(env, objects) != (jsize)c.type->field_count))
        return;
    commit_hand_over(env, &c);
}

const JNINativeMethod *commit_native_methods(struct agent *a)
{
    static const JNINativeMethod methods[COMMIT_NATIVES] = {
        {"define", "([Ljava/lang/String;[IJZ)I", (void *)define},
        {"words", "()Ljava/nio/ByteBuffer;", (void *)words},
        {"commit", "(IJJ[J[Ljava/lang/Object;)V", (void *)commit},
    };
    atomic_store(&commit_agent, a);
    return methods;
}
