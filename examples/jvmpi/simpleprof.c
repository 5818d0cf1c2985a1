/*
 * simpleprof.c - a JVMPI agent that says when a large object is allocated.
 *
 * It waits for the VM to be ready, then asks for allocations. Options: the least size in bytes,
 * 2000 if none is given. Build and run: as classload_tracer.c; MemConsumer.java is a program that
 * allocates what it is told. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>
#include <stdlib.h>

static JVMPI_Interface *jvmpi;
static jint limit = 2000;

static void on_event(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        fprintf(stderr, "simpleprof: the VM is ready\n");
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (event->u.obj_alloc.size >= limit)
            fprintf(stderr, "simpleprof: an object of %d bytes\n", (int)event->u.obj_alloc.size);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;
    (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0) {
        fprintf(stderr, "simpleprof: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    jvmpi = answer;
    if (options && *options)
        limit = (jint)strtol(options, NULL, 10);
    jvmpi->NotifyEvent = on_event;
    return jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL) == JVMPI_SUCCESS ? JNI_OK : JNI_ERR;
}
