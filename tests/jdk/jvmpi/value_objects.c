/*
 * value_objects.c - a JVMPI agent that collects while Values.java runs, asks for dumps of the heap
 * at its end and says how many objects GC_FINISH counts, how many have a record, how many of the
 * program's classes, and of how many points it has heard. SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "heap_reading.h"

static jobjectID points, nodes;
static long told_points;
static JVMPI_Event finish; /* what the last collection said */
static _Atomic bool is_over;

static void on_class(const JVMPI_Event *e)
{
    jvmpi->RawMonitorEnter(lock);
    records_note_class(e);
    if (strcmp(e->u.class_load.class_name, "Values$Point") == 0)
        points = e->u.class_load.class_id;
    if (strcmp(e->u.class_load.class_name, "Values$Node") == 0)
        nodes = e->u.class_load.class_id;
    jvmpi->RawMonitorExit(lock);
}

static long count(jobjectID class_id)
{
    long found = 0;
    for (size_t n = 1; n < RECORDS_IDS; n++) {
        const char *at = dump.record_of[n];
        found += at && at[0] == JVMPI_GC_INSTANCE_DUMP && id_at(at + 1 + ID) == class_id;
    }
    return found;
}

static void on_level_0(void)
{
    long records = 0, nameless = 0;
    const char *at = dump.begin;
    for (; at + 1 + ID <= dump.end; at += 1 + ID) {
        nameless += !id_at(at + 1);
        note(id_at(at + 1), at);
        records++;
    }
    fprintf(stderr, "value_objects: level 0: whole %d, records %ld, without id %ld, twice %ld\n",
            at == dump.end, records, nameless, dump.doubles);
    memset(&dump, 0, sizeof(dump));
}

static void on_dump(const JVMPI_Event *e)
{
    dump.level = e->u.heap_dump.dump_level;
    dump.begin = e->u.heap_dump.begin;
    dump.end = e->u.heap_dump.end;
    dump.event = e;
    if (dump.level == JVMPI_DUMP_LEVEL_0) {
        on_level_0();
        return;
    }
    bool is_whole = read_all(e->env_id, 0);
    fprintf(stderr, "value_objects: whole %d, nodes %ld, points %ld, told %ld\n", is_whole,
            count(nodes), count(points), told_points);
}

/* Collects as long as the program runs: from JDK 26 on the VM tells of no collection at its end. */
static void collect(void *env)
{
    while (!is_over)
        jvmpi->RunGC();
}

static void on_end(void)
{
    JVMPI_HeapDumpArg level_0 = {JVMPI_DUMP_LEVEL_0};
    is_over = true;
    fprintf(stderr, "value_objects: collected: objects %ld, bytes %ld of %ld\n",
            (long)finish.u.gc_info.used_objects, (long)finish.u.gc_info.used_object_space,
            (long)finish.u.gc_info.total_object_space);
    if (jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level_0) != JVMPI_SUCCESS ||
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) != JVMPI_SUCCESS)
        fprintf(stderr, "value_objects: no dump\n");
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
    case JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT:
        on_class(e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        objects[records_number(e->u.obj_alloc.obj_id)] = TOLD;
        told_points += points && e->u.obj_alloc.class_id == points;
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        on_dump(e);
        break;
    case JVMPI_EVENT_GC_FINISH:
        finish = *e;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"collect", JVMPI_NORMAL_PRIORITY, collect);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        on_end();
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint wanted[] = {JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_value_objects");
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (jvmpi->EnableEvent(wanted[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
