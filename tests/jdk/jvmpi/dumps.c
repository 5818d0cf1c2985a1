/*
 * dumps.c - a JVMPI agent that asks for the dumps of objects of Dumps.java and compares what they
 * say with what JNI says. It says "dumps: what: 1" for what holds and ": 0" for what does not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "records.h"

enum { US = 20000 };

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static JVMPI_RawMonitor lock;
static char *data;
static long data_len;

static void say(const char *what, bool holds)
{
    fprintf(stderr, "dumps: %s: %d\n", what, holds);
}

/* ---- records of object dumps */

static int ask(jobjectID id)
{
    free(data);
    data = NULL;
    return jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id) == JVMPI_SUCCESS && data;
}

static jobjectID id_of(JNIEnv *env, jobject object)
{
    return object ? jvmpi->jobject2jobjectID(object) : NULL;
}

static jobject static_object(JNIEnv *env, jclass klass, const char *name, const char *type)
{
    return (*env)->GetStaticObjectField(env, klass,
                                        (*env)->GetStaticFieldID(env, klass, name, type));
}

static bool is_number(const struct known *k, const char *at, const char *name,
                      unsigned long long wanted)
{
    int bytes = 0;
    const char *value = find(at, k->types, k->names, name, &bytes, 2);
    return value &&
           number(value, bytes) == (bytes == 8 ? wanted : wanted & ((1ULL << bytes * 8) - 1));
}

static bool is_static(const struct known *k, const char *at, const char *name,
                      unsigned long long wanted)
{
    int bytes = 0;
    const char *value = find(at, k->static_types, k->static_names, name, &bytes, 2);
    return value &&
           number(value, bytes) == (bytes == 8 ? wanted : wanted & ((1ULL << bytes * 8) - 1));
}

static bool is_reference(const char *value, jobjectID wanted)
{
    return value && id_at(value) == wanted;
}

static void try_instance(JNIEnv *env, jobject one, jclass derived, jclass base)
{
    const struct known *d = class_of(id_of(env, derived)), *b = class_of(id_of(env, base));
    jobject text = (*env)->GetObjectField(
                env, one, (*env)->GetFieldID(env, derived, "text", "Ljava/lang/Object;")),
            ints = (*env)->GetObjectField(env, one, (*env)->GetFieldID(env, derived, "ints", "[I"));
    int own = d ? width_all(d->types, 2) : 0, supers = b ? width_all(b->types, 2) : 0, bytes;
    const char *at;
    say("an object", ask(id_of(env, one)) && data[0] == JVMPI_GC_INSTANCE_DUMP &&
                         id_at(data + 1) == id_of(env, one) && d && b &&
                         id_at(data + 1 + ID) == d->id &&
                         number(data + 1 + 2 * ID, 4) == (unsigned)(own + supers) &&
                         data_len == 1 + 2 * ID + 4 + own + supers);
    at = data + 1 + 2 * ID + 4;
    say("its numbers", is_number(d, at, "c", 'x') && is_number(d, at, "d", 0x4004000000000000ULL) &&
                           is_number(d, at, "z", 1) && is_number(d, at, "f", 0xbfc00000U) &&
                           is_number(d, at, "s", (unsigned long long)-2) &&
                           is_number(d, at, "i", 123456789));
    say("its references",
        is_reference(find(at, d->types, d->names, "text", &bytes, 2), id_of(env, text)) &&
            is_reference(find(at, d->types, d->names, "ints", &bytes, 2), id_of(env, ints)) &&
            is_reference(find(at, d->types, d->names, "nothing", &bytes, 2), NULL));
    at += own;
    say("what the class above has",
        is_number(b, at, "b", (unsigned long long)-5) &&
            is_number(b, at, "l", 0x0102030405060708ULL) &&
            is_reference(find(at, b->types, b->names, "ref", &bytes, 2), id_of(env, one)));
    say("an array of int", ask(id_of(env, ints)) && data[0] == JVMPI_GC_PRIM_ARRAY_DUMP &&
                               id_at(data + 1) == id_of(env, ints) &&
                               number(data + 1 + ID, 4) == 3 && data[5 + ID] == JVMPI_INT &&
                               data_len == 6 + ID + 12 &&
                               memcmp(data + 6 + ID, "\0\0\0\1\xff\xff\xff\xfe\0\0\0\3", 12) == 0);
}

static void try_arrays(JNIEnv *env, jclass dumps, jobject one)
{
    jobject array = static_object(env, dumps, "ARRAY", "[Ljava/lang/Object;"),
            longs = static_object(env, dumps, "LONGS", "[J"),
            chars = static_object(env, dumps, "CHARS", "[C"),
            large = static_object(env, dumps, "LARGE", "[I"),
            empty = static_object(env, dumps, "EMPTY", "[D"),
            nested = (*env)->GetObjectArrayElement(env, array, 2),
            inner = (*env)->GetObjectArrayElement(env, nested, 1);
    jclass object = (*env)->FindClass(env, "java/lang/Object"),
           rows = (*env)->FindClass(env, "[LDumps$Base;");
    say("an array of objects",
        ask(id_of(env, array)) && data[0] == JVMPI_GC_OBJ_ARRAY_DUMP &&
            id_at(data + 1) == id_of(env, array) && number(data + 1 + ID, 4) == 3 &&
            id_at(data + 5 + ID) == id_of(env, object) && data_len == 5 + 5 * ID &&
            id_at(data + 5 + 2 * ID) == id_of(env, one) && !id_at(data + 5 + 3 * ID) &&
            id_at(data + 5 + 4 * ID) == id_of(env, nested));
    say("an array of arrays", ask(id_of(env, nested)) && number(data + 1 + ID, 4) == 2 &&
                                  id_at(data + 5 + ID) == id_of(env, rows) &&
                                  id_at(data + 5 + 3 * ID) == id_of(env, inner));
    say("arrays of other types",
        ask(id_of(env, longs)) && data[5 + ID] == JVMPI_LONG &&
            number(data + 14 + ID, 8) == ~0ULL && number(data + 22 + ID, 8) == 1ULL << 63 &&
            ask(id_of(env, chars)) && data[5 + ID] == JVMPI_CHAR && data_len == 10 + ID &&
            memcmp(data + 6 + ID, "\0a\x12\x34", 4) == 0);
    say("a large array", ask(id_of(env, large)) && data_len == 6 + ID + (24L << 20) &&
                             number(data + data_len - 4, 4) == 77 && !number(data + 6 + ID, 8));
    say("an array without elements", ask(id_of(env, empty)) && data_len == 6 + ID &&
                                         data[5 + ID] == JVMPI_DOUBLE &&
                                         number(data + 1 + ID, 4) == 0);
}

/* Where the static values of a class begin, and its super class and interfaces are checked. */
static const char *check_class(JNIEnv *env, const char *what, jclass klass, jclass super,
                               jclass interface)
{
    const struct known *k = class_of(id_of(env, klass));
    const char *at;
    unsigned pool;
    bool holds;
    if (!k || !ask(k->id)) {
        say(what, 0);
        return NULL;
    }
    at = data + 1 + 7 * ID + 4;
    holds = data[0] == JVMPI_GC_CLASS_DUMP && id_at(data + 1) == k->id &&
            id_at(data + 1 + ID) == id_of(env, super) && k->interfaces == (interface != NULL) &&
            (!interface || id_at(at) == id_of(env, interface));
    at += k->interfaces * ID;
    pool = (unsigned)number(at, 2);
    at += 2;
    for (unsigned i = 0; i < pool; i++, at += 3 + ID)
        holds &= number(at, 2) > 0 && at[2] == JVMPI_CLASS && id_at(at + 3);
    say(what, holds && at + width_all(k->static_types, 2) == data + data_len);
    return at;
}

static void try_classes(JNIEnv *env, jclass derived, jclass base)
{
    jclass named = (*env)->FindClass(env, "Dumps$Named"),
           more = (*env)->FindClass(env, "Dumps$More"),
           object = (*env)->FindClass(env, "java/lang/Object");
    jobject held = static_object(env, base, "held", "Ljava/lang/Object;"),
            first = static_object(env, named, "FIRST", "Ljava/lang/Object;"),
            text = static_object(env, more, "TEXT", "Ljava/lang/String;");
    const struct known *k;
    const char *at;
    int bytes;
    at = check_class(env, "a class", base, object, named);
    k = class_of(id_of(env, base));
    say("its static fields",
        at && is_static(k, at, "small", (unsigned long long)-300) &&
            is_reference(find(at, k->static_types, k->static_names, "held", &bytes, 2),
                         id_of(env, held)));
    say("its size", at && number(data + 1 + 7 * ID, 4) == 1 + 8 + ID);
    at = check_class(env, "a class below it", derived, base, more);
    k = class_of(id_of(env, derived));
    say("its static fields too",
        at && is_static(k, at, "half", 0x3f000000) &&
            is_static(k, at, "big", 0x7e37e43c8800759cULL) &&
            is_reference(find(at, k->static_types, k->static_names, "none", &bytes, 2), NULL));
    at = check_class(env, "an interface", named, NULL, NULL);
    k = class_of(id_of(env, named));
    say("its constants",
        at && is_static(k, at, "COUNT", 7) &&
            is_reference(find(at, k->static_types, k->static_names, "FIRST", &bytes, 2),
                         id_of(env, first)));
    at = check_class(env, "an interface below it", more, NULL, named);
    k = class_of(id_of(env, more));
    say("its constants too",
        at && is_static(k, at, "BIG", 1ULL << 40) &&
            is_reference(find(at, k->static_types, k->static_names, "TEXT", &bytes, 2),
                         id_of(env, text)));
    object = static_object(env, (*env)->FindClass(env, "java/lang/Integer"), "TYPE",
                           "Ljava/lang/Class;");
    say("a primitive type", ask(id_of(env, object)) && data[0] == JVMPI_GC_CLASS_DUMP &&
                                id_at(data + 1) == id_of(env, object) && !id_at(data + 1 + ID) &&
                                data_len == 1 + 7 * ID + 4 + 2);
    object = (*env)->FindClass(env, "java/lang/Object");
    say("the class of an array", ask(id_of(env, (*env)->FindClass(env, "[LDumps$Base;"))) &&
                                     id_at(data + 1 + ID) == id_of(env, object));
}

static void run(void *unused)
{
    JNIEnv *env = NULL;
    jclass dumps, derived, base;
    jobject one;
    jfieldID ready;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    dumps = (*env)->FindClass(env, "Dumps");
    ready = (*env)->GetStaticFieldID(env, dumps, "isReady", "Z");
    while (!(*env)->GetStaticBooleanField(env, dumps, ready))
        usleep(US);
    derived = (*env)->FindClass(env, "Dumps$Derived");
    base = (*env)->FindClass(env, "Dumps$Base");
    one = static_object(env, dumps, "ONE", "LDumps$Derived;");
    jvmpi->DisableGC();
    try_instance(env, one, derived, base);
    try_arrays(env, dumps, one);
    try_classes(env, derived, base);
    say("what is no id", !ask((jobjectID)8) && !ask(NULL));
    jvmpi->EnableGC();
    fprintf(stderr, "dumps: done\n");
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_CLASS_LOAD) {
        jvmpi->RawMonitorEnter(lock);
        records_note_class(e);
        jvmpi->RawMonitorExit(lock);
    }
    if (e->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        jvmpi->CreateSystemThread((char *)"dumper", JVMPI_NORMAL_PRIORITY, run);
    if (e->event_type == (JVMPI_EVENT_OBJECT_DUMP | JVMPI_REQUESTED_EVENT)) {
        data_len = e->u.object_dump.data_len;
        data = malloc((size_t)data_len);
        memcpy(data, e->u.object_dump.data, (size_t)data_len);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    void *answer = NULL;
    vm = java;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_classes");
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    return JNI_OK;
}
