/*
 * method_counter.c - a JVMPI agent that counts the method calls of each thread without a lock.
 *
 * Each thread has its counter in JVMPI's thread-local storage, from its THREAD_START to its
 * THREAD_END: the specification's example of threads and locks, in our words. Build and run: as
 * classload_tracer.c. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>
#include <stdlib.h>

struct counter {
    long calls;
    char name[64];
};

static JVMPI_Interface *jvmpi;

static void on_event(JVMPI_Event *event)
{
    struct counter *c;
    switch (event->event_type) {
    case JVMPI_EVENT_THREAD_START:
        c = calloc(1, sizeof(*c));
        snprintf(c->name, sizeof(c->name), "%s", event->u.thread_start.thread_name);
        jvmpi->SetThreadLocalStorage(event->u.thread_start.thread_env_id, c);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        c = jvmpi->GetThreadLocalStorage(event->env_id);
        c->calls++;
        break;
    case JVMPI_EVENT_THREAD_END:
        c = jvmpi->GetThreadLocalStorage(event->env_id);
        fprintf(stderr, "method counter: %s called %ld methods\n", c->name, c->calls);
        free(c);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_THREAD_START, JVMPI_EVENT_METHOD_ENTRY,
                                  JVMPI_EVENT_THREAD_END};
    void *answer = NULL;
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0) {
        fprintf(stderr, "method counter: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
