/*
 * verify_tracker.c - see verify_tracker.h.
 *
 * RegisterNatives on a class of java.base warns on the program's standard output unless the caller
 * is a class of the same loader; so it is done inside Class.forName, in the ClassPrepare event that
 * it causes. Source: HotSpot jni.cpp, jni_RegisterNatives.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify_tracker.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "agent/agent.h"
#include "agent/verify_entry.h"
#include "agent/verify_shadow.h"
#include "base/arena.h"
#include "classfile/instrument.h"
#include "classfile/outbuf.h"

enum { TEXT_BYTES = 256 << 20 }; /* of address space; what is used counts */

static struct method {
    uint64_t hash;
    uint32_t text; /* where its name begins in `texts` */
} * methods;
static char *texts;
static _Atomic uint32_t texts_used;
static _Atomic int32_t next_number;
static _Atomic int is_bound;

int32_t verify_tracker_add(const struct instrument_method *m, uint64_t hash)
{
    uint32_t len = (uint32_t)m->class_name.len + m->name.len + 2;
    uint32_t text = atomic_fetch_add(&texts_used, len);
    int32_t number = atomic_fetch_add(&next_number, 1);

    if (number >= VERIFY_TRACKER_NUMBERS || text + len > TEXT_BYTES)
        return -1;
    methods[number] = (struct method){hash, text};
    snprintf(texts + text, len, "%.*s.%.*s", m->class_name.len, m->class_name.bytes, m->name.len,
             m->name.bytes);
    return number;
}

uint64_t verify_tracker_hash(uint32_t number)
{
    return methods[number].hash;
}

const char *verify_tracker_name(uint32_t number)
{
    return texts + methods[number].text;
}

static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    int64_t token = verify_shadow_enter((uint32_t)number);

    verify_entry_compare(env);
    return token;
}

static void JNICALL exit_method(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_exit(token);
}

static void JNICALL caught(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_caught(token);
}

static const JNINativeMethod natives[] = {
    {(char *)VERIFY_TRACKER_ENTER, (char *)"(I)J", (void *)enter},
    {(char *)VERIFY_TRACKER_EXIT, (char *)"(J)V", (void *)exit_method},
    {(char *)VERIFY_TRACKER_CAUGHT, (char *)"(J)V", (void *)caught},
};

enum {
    NATIVES = sizeof(natives) / sizeof(natives[0]),
    TAG_UTF8 = 1,
    TAG_CLASS = 7,
    ACC_PUBLIC_FINAL_SUPER = 0x1031, /* and synthetic */
    ACC_PUBLIC_STATIC_NATIVE = 0x1109,
    MAJOR = 52,
};

static void put_text(struct outbuf *out, const char *text)
{
    outbuf_u1(out, TAG_UTF8);
    outbuf_u2(out, (uint16_t)strlen(text));
    outbuf_bytes(out, text, strlen(text));
}

/* The constant pool: 1 name, 2 class, 3 name and 4 class of the superclass, then two a method. */
static void write_class(struct outbuf *out)
{
    outbuf_u4(out, 0xcafebabe);
    outbuf_u2(out, 0);
    outbuf_u2(out, MAJOR);
    outbuf_u2(out, 5 + 2 * NATIVES);
    put_text(out, VERIFY_TRACKER);
    outbuf_u1(out, TAG_CLASS);
    outbuf_u2(out, 1);
    put_text(out, "java/lang/Object");
    outbuf_u1(out, TAG_CLASS);
    outbuf_u2(out, 3);
    for (int i = 0; i < NATIVES; i++) {
        put_text(out, natives[i].name);
        put_text(out, natives[i].signature);
    }
    outbuf_u2(out, ACC_PUBLIC_FINAL_SUPER);
    outbuf_u2(out, 2);
    outbuf_u2(out, 4);
    outbuf_u2(out, 0); /* interfaces */
    outbuf_u2(out, 0); /* fields */
    outbuf_u2(out, NATIVES);
    for (int i = 0; i < NATIVES; i++) {
        outbuf_u2(out, ACC_PUBLIC_STATIC_NATIVE);
        outbuf_u2(out, (uint16_t)(5 + 2 * i));
        outbuf_u2(out, (uint16_t)(6 + 2 * i));
        outbuf_u2(out, 0); /* attributes */
    }
    outbuf_u2(out, 0);
}

static int define(JNIEnv *env)
{
    struct arena a;
    struct outbuf out;
    jclass klass = NULL;

    arena_init(&a, 1 << 20);
    outbuf_init(&out, &a, 1024, 4096);
    write_class(&out);
    if (out.error == 0)
        klass = (*env)->DefineClass(env, VERIFY_TRACKER, NULL, (const jbyte *)out.bytes,
                                    (jsize)out.len);
    arena_done(&a);
    return klass ? 0 : -1;
}

/* Class.forName("java.lang.HprofVerify", true, null). */
static void initialise(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Class");
    jmethodID for_name = klass
                             ? (*env)->GetStaticMethodID(
                                   env, klass, "forName",
                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
                             : NULL;
    jstring name = for_name ? (*env)->NewStringUTF(env, "java.lang.HprofVerify") : NULL;

    if (name)
        (*env)->CallStaticObjectMethod(env, klass, for_name, name, JNI_TRUE, NULL);
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

int verify_tracker_define(JNIEnv *env)
{
    methods = map(VERIFY_TRACKER_NUMBERS * sizeof(*methods));
    texts = map(TEXT_BYTES);
    if (!methods || !texts)
        return -1;
    if (define(env) == 0)
        initialise(env);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return atomic_load(&is_bound) ? 0 : -1;
}

void verify_tracker_prepared(struct agent *a, jclass klass)
{
    char *signature = NULL;
    JNIEnv *env;

    if (!methods || atomic_load(&is_bound) ||
        (*a->jvmti)->GetClassSignature(a->jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    if (strcmp(signature, "L" VERIFY_TRACKER ";") == 0 &&
        (*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK)
        atomic_store(&is_bound, (*env)->RegisterNatives(env, klass, natives, NATIVES) == JNI_OK);
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)signature);
}
