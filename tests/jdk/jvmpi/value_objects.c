/*
 * value_objects.c - a JVMPI agent that asks for a dump of the heap of Values.java, at its end, and
 * says how many objects of its classes have a record in it, and of how many points it has heard.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdio.h>
#include "heap_reading.h"

static jobjectID points, nodes;
static long told_points;

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

static void on_dump(const JVMPI_Event *e)
{
    dump.level = e->u.heap_dump.dump_level;
    dump.begin = e->u.heap_dump.begin;
    dump.end = e->u.heap_dump.end;
    dump.event = e;
    int is_whole = read_all(e->env_id, 0);
    fprintf(stderr, "value_objects: whole %d, nodes %ld, points %ld, told %ld\n", is_whole,
            count(nodes), count(points), told_points);
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
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        if (jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) != JVMPI_SUCCESS)
            fprintf(stderr, "value_objects: no dump\n");
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint wanted[] = {JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC,
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
