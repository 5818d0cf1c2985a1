/*
 * ends.c - a JVMPI agent whose handler of a collection returns while the VM ends.
 *
 * The handler of the first GC_START waits for the files "ending" and "posting" (native/posting.c),
 * and a little longer, until two threads of the VM wait for each other. When it has returned, the
 * bridge wants to count the objects for GC_FINISH. Some time later the agent makes the file "go".
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <jvmpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum {
    POLL_US = 10000,
    POLLS = 3000, /* half a minute */
    LATER_US = 300000,
};

static JVMPI_Interface *jvmpi;

static void *let_go(void *arg)
{
    usleep(LATER_US);
    close(open("go", O_CREAT | O_WRONLY, 0600));
    return arg;
}

static void on_gc_start(void)
{
    static int begun;
    pthread_t thread;
    if (begun++)
        return;
    for (int i = 0; i < POLLS && (access("ending", F_OK) != 0 || access("posting", F_OK) != 0); i++)
        usleep(POLL_US);
    usleep(LATER_US);
    if (pthread_create(&thread, NULL, let_go, NULL) == 0)
        pthread_detach(thread);
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_GC_START)
        on_gc_start();
    else if (e->event_type == JVMPI_EVENT_GC_FINISH)
        fprintf(stderr, "ends: %lld objects\n", (long long)e->u.gc_info.used_objects);
    else if (e->event_type == JVMPI_EVENT_JVM_SHUT_DOWN)
        fprintf(stderr, "ends: the VM is down\n");
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_GC_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
