/*
 * heaps.c - a JVMPI agent that asks for dumps of the heap of Dumps.java at each level, reads every
 * record, and compares what they say with the events before, with JNI and with OBJECT_DUMP. It says
 * "heaps: what: 1" for what holds and ": 0" for what does not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include "heap_reading.h"

enum { US = 20000, ROOM = 20 << 20 };

static JavaVM *vm;
static _Atomic int garbage_count; /* all threads make objects */

static void say(const char *what, bool holds)
{
    fprintf(stderr, "heaps: %s: %d\n", what, holds);
}

static void say_at(int level, const char *what, bool holds)
{
    fprintf(stderr, "heaps: level %d: %s: %d\n", level, what, holds);
}

/* ---- what dumps say */

static void try_objects(void)
{
    int level = dump.level;
    say_at(level, "each object once", dump.objects > 1000 && dump.doubles == 0);
    say_at(level, "each was told", dump.not_told == 0);
    say_at(level, "all garbage was told", garbage_count == 100);
    say_at(level, "garbage is none of them", dump.garbage == 0);
}

static void try_level_0(void)
{
    const char *at;
    for (at = dump.begin; at + 1 + ID <= dump.end; at += 1 + ID)
        note(id_at(at + 1), at);
    say_at(0, "nothing but records", at == dump.end);
    try_objects();
    say_at(0, "types",
           record_of(its.one) && record_of(its.one)[0] == JVMPI_NORMAL_OBJECT &&
               record_of(its.derived) && record_of(its.derived)[0] == JVMPI_NORMAL_OBJECT &&
               record_of(its.array) && record_of(its.array)[0] == JVMPI_CLASS &&
               record_of(its.nested) && record_of(its.nested)[0] == JVMPI_CLASS &&
               record_of(its.longs) && record_of(its.longs)[0] == JVMPI_LONG &&
               record_of(its.empty) && record_of(its.empty)[0] == JVMPI_DOUBLE);
    say_at(0, "no traces", dump.event->u.heap_dump.num_traces == 0);
}

static void try_roots(void)
{
    int level = dump.level;
    say_at(level, "roots name what is there", dump.not_there == 0);
    say_at(level, "global references are those that were told",
           dump.globals >= 2 && dump.bad_refs == 0 && dump.has_globals[0] == 1 &&
               dump.has_globals[1] == 1 && !dump.has_freed);
    say_at(level, "frames are those of traces",
           dump.frames > 0 && dump.locals > 0 && dump.bad_frames == 0);
    say_at(level, "a frame has its object", dump.has_local);
    say_at(level, "a reference of native code", dump.has_own_local);
    say_at(level, "threads were told", dump.blocks >= 3 && dump.has_main && dump.bad_threads == 0);
    say_at(level, "an entered monitor, once", dump.has_locked == 1);
    say_at(level, "an entered class, once", dump.has_class_locked == 1);
    say_at(level, "system classes", dump.sticky > 0);
    say_at(level, "classes were told", dump.bad_classes == 0 && dump.not_loaded == 0);
}

/* At level 1 an object's record has its references and nothing else. */
static void try_level_1(void)
{
    const struct known *d = class_of(its.derived), *b = class_of(its.base);
    const char *at = record_of(its.one), *values = at ? at + 1 + 2 * ID + 4 : NULL;
    int own = width_all(d->types, 1), bytes;
    say_at(1, "references alone",
           at && number(at + 1 + 2 * ID, 4) == (unsigned)(own + width_all(b->types, 1)) &&
               own == 3 * ID && !id_at(find(values, d->types, d->names, "nothing", &bytes, 1)) &&
               id_at(values + own) == its.one);
    at = record_of(its.longs);
    say_at(1, "arrays without numbers",
           at && number(at + 1 + ID, 4) == 3 && at[5 + ID] == JVMPI_LONG);
    at = record_of(its.array);
    say_at(1, "arrays of objects",
           at && id_at(at + 5 + 2 * ID) == its.one && !id_at(at + 5 + 3 * ID) &&
               id_at(at + 5 + 4 * ID) == its.nested);
}

static char *data;
static long data_len;

static bool is_as_object_dump(jobjectID id)
{
    const char *at = record_of(id);
    bool is_same;
    if (!at || jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id) != JVMPI_SUCCESS)
        return false;
    is_same = dump.end - at >= data_len && memcmp(at, data, (size_t)data_len) == 0;
    free(data);
    return is_same;
}

static void try_level_2(void)
{
    say_at(2, "objects as OBJECT_DUMP has them",
           is_as_object_dump(its.one) && is_as_object_dump(its.array) &&
               is_as_object_dump(its.nested) && is_as_object_dump(its.longs) &&
               is_as_object_dump(its.empty));
    say_at(2, "classes as OBJECT_DUMP has them",
           is_as_object_dump(its.base) && is_as_object_dump(its.derived) &&
               is_as_object_dump(its.named));
}

static void on_dump(JNIEnv *env, const JVMPI_Event *e)
{
    memset(&dump, 0, sizeof(dump));
    dump.event = e;
    dump.level = e->u.heap_dump.dump_level;
    dump.begin = e->u.heap_dump.begin;
    dump.end = e->u.heap_dump.end;
    say_at(dump.level, "in the thread that asked", e->env_id == env);
    if (dump.level == JVMPI_DUMP_LEVEL_0) {
        try_level_0();
        return;
    }
    say_at(dump.level, "records fill the dump", read_all(env, 0) && read_all(env, 1));
    say_at(dump.level, "what records name is there", dump.not_there == 0);
    say_at(dump.level, "bytes are those of the fields", dump.bad_bytes == 0);
    try_objects();
    try_roots();
    if (dump.level == JVMPI_DUMP_LEVEL_1)
        try_level_1();
    else
        try_level_2();
}

/* ---- the agent */

static jobject static_object(JNIEnv *env, jclass klass, const char *name, const char *type)
{
    return (*env)->GetStaticObjectField(env, klass,
                                        (*env)->GetStaticFieldID(env, klass, name, type));
}

/* The reference is kept by the calling thread: it is a root then. */
static jobjectID id_of_static(JNIEnv *env, jclass klass, const char *name, const char *type)
{
    return jvmpi->jobject2jobjectID(static_object(env, klass, name, type));
}

static jobjectID id_of_class(JNIEnv *env, const char *name)
{
    return jvmpi->jobject2jobjectID((*env)->FindClass(env, name));
}

static void learn(JNIEnv *env, jclass dumps)
{
    jobject one = static_object(env, dumps, "ONE", "LDumps$Derived;"),
            array = static_object(env, dumps, "ARRAY", "[Ljava/lang/Object;");
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    its.dumps = jvmpi->jobject2jobjectID(dumps);
    its.derived = id_of_class(env, "Dumps$Derived");
    its.base = id_of_class(env, "Dumps$Base");
    its.named = id_of_class(env, "Dumps$Named");
    its.one = jvmpi->jobject2jobjectID(one);
    its.array = jvmpi->jobject2jobjectID(array);
    its.nested = jvmpi->jobject2jobjectID((*env)->GetObjectArrayElement(env, array, 2));
    its.longs = id_of_static(env, dumps, "LONGS", "[J");
    its.empty = id_of_static(env, dumps, "EMPTY", "[D");
    its.local = id_of_static(env, dumps, "LOCAL", "Ljava/lang/Object;");
    its.locked = id_of_static(env, dumps, "LOCKED", "Ljava/lang/Object;");
    its.own_local = jvmpi->jobject2jobjectID((*env)->AllocObject(env, object));
    its.hold =
        (*env)->GetStaticMethodID(env, dumps, "hold", "(Ljava/lang/Object;Ljava/lang/Thread;)V");
    for (int i = 0; i < 2; i++)
        its.globals[i] = (*env)->NewGlobalRef(env, one);
    its.freed = (*env)->NewGlobalRef(env, one);
    (*env)->DeleteGlobalRef(env, its.freed);
}

/* A dump for which files may not be large enough. */
static jint ask_without_room(void)
{
    struct rlimit before, small;
    jint result;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = ROOM;
    setrlimit(RLIMIT_FSIZE, &small);
    result = jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    return result;
}

static void run(void *unused)
{
    JVMPI_HeapDumpArg level_0 = {JVMPI_DUMP_LEVEL_0}, level_1 = {JVMPI_DUMP_LEVEL_1}, none = {3};
    JNIEnv *env = NULL;
    jclass dumps;
    jfieldID ready;
    jvmpi->DisableGC(); /* no id is used again */
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    dumps = (*env)->FindClass(env, "Dumps");
    ready = (*env)->GetStaticFieldID(env, dumps, "isReady", "Z");
    while (!(*env)->GetStaticBooleanField(env, dumps, ready))
        usleep(US);
    learn(env, dumps);
    say("level 0", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level_0) == JVMPI_SUCCESS);
    say("level 1", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level_1) == JVMPI_SUCCESS);
    say("NULL is level 2", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_SUCCESS &&
                               dump.level == JVMPI_DUMP_LEVEL_2);
    say("no other level", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &none) == JVMPI_FAIL);
    say("none without room", ask_without_room() == JVMPI_FAIL);
    jvmpi->EnableGC();
    fprintf(stderr, "heaps: done\n");
}

/* The class of garbage is known by its name before the first of it is made. */
static void on_class(const JVMPI_Event *e)
{
    jvmpi->RawMonitorEnter(lock);
    records_note_class(e);
    if (strcmp(e->u.class_load.class_name, "Dumps$Garbage") == 0)
        its.garbage = e->u.class_load.class_id;
    jvmpi->RawMonitorExit(lock);
}

static void on_alloc(const JVMPI_Event *e)
{
    bool is_garbage = its.garbage && e->u.obj_alloc.class_id == its.garbage;
    objects[records_number(e->u.obj_alloc.obj_id)] = is_garbage ? GARBAGE : TOLD;
    garbage_count += is_garbage;
}

static void on_ref(const JVMPI_Event *e)
{
    jvmpi->RawMonitorEnter(lock);
    if (e->event_type == JVMPI_EVENT_JNI_GLOBALREF_ALLOC) {
        refs[ref_count].ref = e->u.jni_globalref_alloc.ref_id;
        refs[ref_count++].id = e->u.jni_globalref_alloc.obj_id;
    }
    for (int i = 0; e->event_type == JVMPI_EVENT_JNI_GLOBALREF_FREE && i < ref_count; i++)
        if (refs[i].ref == e->u.jni_globalref_free.ref_id)
            refs[i].id = NULL;
    jvmpi->RawMonitorExit(lock);
}

static void on_thread(const JVMPI_Event *e)
{
    jvmpi->RawMonitorEnter(lock);
    if (e->event_type == JVMPI_EVENT_THREAD_START) {
        threads[thread_count].env = e->u.thread_start.thread_env_id;
        threads[thread_count++].id = e->u.thread_start.thread_id;
        if (strcmp(e->u.thread_start.thread_name, "main") == 0)
            its.main = e->u.thread_start.thread_env_id;
    }
    for (int i = 0; e->event_type == JVMPI_EVENT_THREAD_END && i < thread_count; i++)
        if (threads[i].env == e->env_id)
            threads[i].env = NULL;
    jvmpi->RawMonitorExit(lock);
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        on_class(e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        on_alloc(e);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        objects[records_number(e->u.obj_free.obj_id)] = NOT_TOLD;
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
        on_ref(e);
        break;
    case JVMPI_EVENT_THREAD_START:
    case JVMPI_EVENT_THREAD_END:
        on_thread(e);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"dumper", JVMPI_NORMAL_PRIORITY, run);
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        on_dump(e->env_id, e);
        break;
    case JVMPI_EVENT_OBJECT_DUMP | JVMPI_REQUESTED_EVENT:
        data_len = e->u.object_dump.data_len;
        data = malloc((size_t)data_len);
        memcpy(data, e->u.object_dump.data, (size_t)data_len);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    static const jint wanted[] = {
        JVMPI_EVENT_CLASS_LOAD,          JVMPI_EVENT_OBJECT_ALLOC,       JVMPI_EVENT_OBJECT_FREE,
        JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE, JVMPI_EVENT_THREAD_START,
        JVMPI_EVENT_THREAD_END,          JVMPI_EVENT_JVM_INIT_DONE,
    };
    void *answer = NULL;
    vm = java;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_heaps");
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        jvmpi->EnableEvent(wanted[i], NULL);
    return JNI_OK;
}
