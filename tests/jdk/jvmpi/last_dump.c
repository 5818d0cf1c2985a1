/*
 * last_dump.c - a JVMPI agent that turns all events off when the VM ends, and then asks for a dump
 * of the heap, as the HPROF agent of the time does: it must have heard of each class in it, and may
 * ask for the objects that were made when it had turned OBJECT_ALLOC off. It says "last_dump: what:
 * 1" for what holds and ": 0" for what does not. SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "heap_reading.h"

static void say(const char *what, bool holds)
{
    fprintf(stderr, "last_dump: %s: %d\n", what, holds);
}

static void on_class(const JVMPI_Event *e)
{
    jvmpi->RawMonitorEnter(lock);
    records_note_class(e);
    jvmpi->RawMonitorExit(lock);
}

static void ask_for_objects(void)
{
    dump.not_told = 0;
    for (uintptr_t n = 1; n < RECORDS_IDS; n++) {
        if (dump.record_of[n] && objects[n] == NOT_TOLD)
            jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, (jobjectID)(n * RECORDS_STEP));
        dump.not_told += dump.record_of[n] && objects[n] == NOT_TOLD;
    }
}

static void on_dump(const JVMPI_Event *e)
{
    dump.level = e->u.heap_dump.dump_level;
    dump.begin = e->u.heap_dump.begin;
    dump.end = e->u.heap_dump.end;
    dump.event = e;
    say("its classes were told", read_all(e->env_id, 0) && dump.classes > 100);
    ask_for_objects();
    say("its objects are told to who asks", dump.objects > dump.classes && dump.not_told == 0);
}

static void on_end(void)
{
    for (jint event = 1; event <= JVMPI_MAX_EVENT_TYPE_VAL; event++)
        jvmpi->DisableEvent(event, NULL);
    say("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_SUCCESS);
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        on_class(e);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        objects[records_number(e->u.obj_alloc.obj_id)] = TOLD;
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        objects[records_number(e->u.obj_free.obj_id)] = NOT_TOLD;
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        on_dump(e);
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
    static const jint wanted[] = {JVMPI_EVENT_CLASS_LOAD,   JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_OBJECT_FREE,  JVMPI_EVENT_METHOD_ENTRY,
                                  JVMPI_EVENT_METHOD_EXIT,  JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    lock = jvmpi->RawMonitorCreate((char *)"_last_dump");
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (jvmpi->EnableEvent(wanted[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
