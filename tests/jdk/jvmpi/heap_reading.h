/*
 * heap_reading.h - every record of a heap dump is read, and what does not hold is counted: against
 * what the events before the dump said, and one record against another. For heaps.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "records.h"

enum { REFS = 65536, THREADS = 256, NO_FRAME = -1 };
enum { NOT_TOLD, TOLD, GARBAGE };

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;

/* What the events before the dump said. */
static unsigned char objects[RECORDS_IDS]; /* NOT_TOLD ... */
static struct {
    jobject ref;
    jobjectID id; /* NULL: the reference has been freed */
} refs[REFS];
static int ref_count;
static struct {
    JNIEnv *env; /* NULL: the thread has ended */
    jobjectID id;
} threads[THREADS];
static int thread_count;

/* ---- the program's objects */

static struct {
    jobjectID dumps, derived, base, named, garbage, one, array, nested, longs, empty, local, locked;
    jobjectID own_local; /* that only a local reference of the asking thread names */
    jmethodID hold;
    JNIEnv *main;
    jobject globals[2], freed; /* references to `one` */
} its;

/* ---- one dump */

static struct {
    int level;
    const char *begin, *end;
    const JVMPI_Event *event;
    /* what a reading of all records has found */
    const char *record_of[RECORDS_IDS];
    long objects, classes, doubles, not_told, garbage, not_loaded, nameless;
    long not_there, bad_bytes, bad_refs, bad_frames, bad_threads, bad_classes;
    long globals, frames, locals, blocks, sticky, monitors;
    bool has_globals[2], has_freed, has_local, has_locked, has_class_locked, has_main,
        has_own_local;
} dump;

static const char *record_of(jobjectID id)
{
    return id ? dump.record_of[records_number(id)] : NULL;
}

/* An object has a record. */
static void note(jobjectID id, const char *at)
{
    size_t n = records_number(id);
    dump.doubles += dump.record_of[n] != NULL;
    dump.not_told += objects[n] == NOT_TOLD;
    dump.garbage += objects[n] == GARBAGE;
    dump.record_of[n] = at;
    dump.objects++;
}

/* Something in the dump names an object: it has a record, unless it is a class that is not
 * prepared, of which nothing has been told. */
static void name(JNIEnv *env, jobjectID id)
{
    jobject object;
    jclass classes;
    if (!id || record_of(id))
        return;
    object = jvmpi->jobjectID2jobject(id);
    classes = (*env)->FindClass(env, "java/lang/Class");
    dump.not_there += !object || !(*env)->IsInstanceOf(env, object, classes) || class_of(id);
    jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id); /* as agents do who do not know an id */
    dump.not_there += jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id) == JVMPI_SUCCESS;
    (*env)->DeleteLocalRef(env, object);
    (*env)->DeleteLocalRef(env, classes);
}

static const JVMPI_CallTrace *trace_of(JNIEnv *env)
{
    for (int i = 0; i < dump.event->u.heap_dump.num_traces; i++)
        if (dump.event->u.heap_dump.traces[i].env_id == env)
            return &dump.event->u.heap_dump.traces[i];
    return NULL;
}

static bool is_thread(JNIEnv *env, jobjectID id)
{
    for (int i = 0; i < thread_count; i++)
        if (threads[i].env == env && (!id || threads[i].id == id))
            return true;
    return false;
}

/* ---- records: each returns where the next one begins; NULL: it cannot be read */

static const char *read_global(const char *at)
{
    jobject ref;
    bool is_known = false;
    memcpy(&ref, at + 1 + ID, sizeof(ref));
    for (int i = 0; i < ref_count; i++)
        is_known |= refs[i].ref == ref && refs[i].id == id_at(at + 1);
    dump.bad_refs += !is_known;
    for (int i = 0; i < 2; i++)
        dump.has_globals[i] += ref == its.globals[i] && id_at(at + 1) == its.one;
    dump.has_freed |= ref == its.freed;
    dump.globals++;
    return at + 1 + ID + sizeof(ref);
}

static const char *read_frame(JNIEnv *env, const char *at)
{
    const JVMPI_CallTrace *trace;
    jobjectID id = id_at(at + 1);
    JNIEnv *of;
    int frame = (int)number(at + 1 + 2 * ID, 4);
    memcpy(&of, at + 1 + ID, sizeof(of));
    trace = trace_of(of);
    dump.bad_threads += !trace || !is_thread(of, NULL);
    if (trace && frame != NO_FRAME) {
        dump.bad_frames += frame < 0 || frame >= trace->num_frames;
        if (id == its.local && of == its.main && frame >= 0 && frame < trace->num_frames)
            dump.has_local |=
                at[0] == JVMPI_GC_ROOT_JAVA_FRAME && trace->frames[frame].method_id == its.hold;
    }
    if (at[0] == JVMPI_GC_ROOT_JNI_LOCAL)
        dump.locals++;
    else
        dump.frames++;
    dump.has_own_local |=
        at[0] == JVMPI_GC_ROOT_JNI_LOCAL && of == env && id == its.own_local && frame == NO_FRAME;
    return at + 1 + 2 * ID + 4;
}

static const char *read_block(const char *at)
{
    JNIEnv *of;
    memcpy(&of, at + 1 + ID, sizeof(of));
    dump.bad_threads += !is_thread(of, id_at(at + 1));
    dump.has_main |= of == its.main;
    dump.blocks++;
    return at + 1 + 2 * ID;
}

static const char *read_class(JNIEnv *env, const char *at, bool is_second)
{
    const struct known *k = class_of(id_at(at + 1));
    unsigned pool;
    if (!k)
        return NULL;
    if (!is_second) {
        note(k->id, at);
        dump.classes++;
    }
    for (int i = 1; is_second && i < 5; i++)
        name(env, id_at(at + 1 + i * ID));
    dump.nameless += !id_at(at + 1 + 5 * ID) && !id_at(at + 1 + 6 * ID);
    at += 1 + 7 * ID + 4;
    for (int i = 0; i < k->interfaces; i++, at += ID)
        if (is_second)
            name(env, id_at(at));
    pool = (unsigned)number(at, 2);
    at += 2;
    for (unsigned i = 0; i < pool; i++, at += 3 + ID) {
        dump.bad_classes += at[2] != JVMPI_CLASS || !number(at, 2);
        if (is_second)
            name(env, id_at(at + 3));
    }
    for (const char *t = k->static_types; *t; t++) {
        if (is_second && width(*t, 2) == ID && strchr("L[", *t))
            name(env, id_at(at));
        at += width(*t, dump.level);
    }
    return at;
}

static const char *read_instance(JNIEnv *env, const char *at, bool is_second)
{
    unsigned bytes = (unsigned)number(at + 1 + 2 * ID, 4), found = 0;
    jobjectID id = id_at(at + 1), klass = id_at(at + 1 + ID);
    const char *value = at + 1 + 2 * ID + 4, *of_class;
    if (!is_second) {
        note(id, at);
        dump.not_loaded += !class_of(klass);
        return value + bytes;
    }
    for (; klass; klass = id_at(of_class + 1 + ID)) {
        of_class = record_of(klass);
        if (!of_class || of_class[0] != JVMPI_GC_CLASS_DUMP) {
            dump.bad_classes++;
            break;
        }
        for (const char *t = class_of(klass)->types; *t && found < bytes; t++) {
            if (strchr("L[", *t))
                name(env, id_at(value + found));
            found += (unsigned)width(*t, dump.level);
        }
    }
    dump.bad_bytes += found != bytes;
    return value + bytes;
}

static const char *read_array(JNIEnv *env, const char *at, bool is_second)
{
    unsigned count = (unsigned)number(at + 1 + ID, 4);
    const char *value = at + 1 + ID + 4 + ID;
    if (!is_second)
        note(id_at(at + 1), at);
    if (id_at(at + 1 + ID + 4))
        dump.not_loaded += !class_of(id_at(at + 1 + ID + 4));
    for (unsigned i = 0; is_second && i < count; i++)
        name(env, id_at(value + (size_t)i * ID));
    return value + (size_t)count * ID;
}

static const char *read_numbers(const char *at, bool is_second)
{
    static const char letters[] = {
        [JVMPI_BOOLEAN] = 'Z', [JVMPI_CHAR] = 'C',  [JVMPI_FLOAT] = 'F', [JVMPI_DOUBLE] = 'D',
        [JVMPI_BYTE] = 'B',    [JVMPI_SHORT] = 'S', [JVMPI_INT] = 'I',   [JVMPI_LONG] = 'J'};
    unsigned count = (unsigned)number(at + 1 + ID, 4);
    unsigned char type = (unsigned char)at[1 + ID + 4];
    if (!is_second)
        note(id_at(at + 1), at);
    if (type < JVMPI_BOOLEAN || type > JVMPI_LONG)
        return NULL;
    return at + 1 + ID + 5 + (size_t)count * (size_t)width(letters[type], dump.level);
}

/* A root, which counts in the second reading, when all that it can name has been seen. */
static const char *read_root(JNIEnv *env, const char *at, bool is_second)
{
    int kind = (unsigned char)at[0];
    jobjectID id = id_at(at + 1);
    if (!is_second)
        return at + 1 + ID +
               (kind == JVMPI_GC_ROOT_JNI_GLOBAL || kind == JVMPI_GC_ROOT_THREAD_BLOCK ? ID
                : kind == JVMPI_GC_ROOT_JNI_LOCAL || kind == JVMPI_GC_ROOT_JAVA_FRAME  ? ID + 4
                                                                                       : 0);
    dump.not_there += !record_of(id);
    switch (kind) {
    case JVMPI_GC_ROOT_JNI_GLOBAL:
        return read_global(at);
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME:
        return read_frame(env, at);
    case JVMPI_GC_ROOT_THREAD_BLOCK:
        return read_block(at);
    case JVMPI_GC_ROOT_STICKY_CLASS:
        dump.bad_classes += !class_of(id) || record_of(id)[0] != JVMPI_GC_CLASS_DUMP;
        dump.sticky++;
        break;
    case JVMPI_GC_ROOT_MONITOR_USED:
        dump.has_locked += id == its.locked;
        dump.has_class_locked += id == its.base;
        dump.monitors++;
        break;
    default:
        break;
    }
    return at + 1 + ID;
}

static const char *read_one(JNIEnv *env, const char *at, bool is_second)
{
    switch ((unsigned char)at[0]) {
    case JVMPI_GC_CLASS_DUMP:
        return read_class(env, at, is_second);
    case JVMPI_GC_INSTANCE_DUMP:
        return read_instance(env, at, is_second);
    case JVMPI_GC_OBJ_ARRAY_DUMP:
        return read_array(env, at, is_second);
    case JVMPI_GC_PRIM_ARRAY_DUMP:
        return read_numbers(at, is_second);
    case JVMPI_GC_ROOT_UNKNOWN:
    case JVMPI_GC_ROOT_JNI_GLOBAL:
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME:
    case JVMPI_GC_ROOT_STICKY_CLASS:
    case JVMPI_GC_ROOT_THREAD_BLOCK:
    case JVMPI_GC_ROOT_MONITOR_USED:
        return read_root(env, at, is_second);
    default:
        return NULL;
    }
}

/* Returns whether the records fill the dump. */
static int read_all(JNIEnv *env, bool is_second)
{
    const char *at = dump.begin;
    while (at && at < dump.end)
        at = read_one(env, at, is_second);
    return at == dump.end;
}
