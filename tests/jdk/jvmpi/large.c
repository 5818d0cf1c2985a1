/*
 * large.c - a JVMPI agent that is told of an array of 2 GB, and asks for it: in what the interface
 * counts by a jint, and in dumps. Prints "large: what: 1" for what holds, ": 0" for what does not.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <jvmpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = INT32_MAX - 8 /* elements */, RECORD = 1 + sizeof(jobjectID) + 4 + 1 };

static JVMPI_Interface *jvmpi;
static unsigned char record[RECORD]; /* of the array in a heap dump */
static jobjectID large;

static void say(const char *what, bool holds)
{
    fprintf(stderr, "large: %s: %d\n", what, holds);
}

static void expect(jobjectID id)
{
    unsigned char *at = record;
    *at++ = JVMPI_GC_PRIM_ARRAY_DUMP;
    memcpy(at, &id, sizeof(id));
    at += sizeof(id);
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (unsigned char)((uint32_t)LARGE >> shift);
    *at = JVMPI_BYTE;
}

static void on_event(JVMPI_Event *e)
{
    JVMPI_HeapDumpArg level = {JVMPI_DUMP_LEVEL_1};
    switch (e->event_type) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (e->u.obj_alloc.is_array != JVMPI_BYTE || e->u.obj_alloc.size != INT32_MAX)
            break;
        large = e->u.obj_alloc.obj_id;
        say("its size is the largest that there is", 1);
        say("there is no dump of it",
            jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, large) == JVMPI_FAIL);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        expect(large);
        say("a heap dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level) == JVMPI_SUCCESS);
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        say("which has its length",
            memmem(e->u.heap_dump.begin, (size_t)(e->u.heap_dump.end - e->u.heap_dump.begin),
                   record, RECORD) != NULL);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
