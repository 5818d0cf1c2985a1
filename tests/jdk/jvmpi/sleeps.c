/*
 * sleeps.c - a JVMPI agent that says of which waits for no object it is told.
 *
 * A line "sleeps: wait MS" for a MONITOR_WAIT with no object, "sleeps: waited MS" for such a
 * MONITOR_WAITED. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>

static JVMPI_Interface *jvmpi;

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_MONITOR_WAIT && !e->u.monitor_wait.object)
        fprintf(stderr, "sleeps: wait %ld\n", (long)e->u.monitor_wait.timeout);
    if (e->event_type == JVMPI_EVENT_MONITOR_WAITED && !e->u.monitor_wait.object)
        fprintf(stderr, "sleeps: waited %ld\n", (long)e->u.monitor_wait.timeout);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    return jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL) == JVMPI_SUCCESS &&
                   jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAITED, NULL) == JVMPI_SUCCESS
               ? JNI_OK
               : JNI_ERR;
}
