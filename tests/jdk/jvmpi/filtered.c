/*
 * filtered.c - a JVMPI agent that says of which classes objects were told.
 *
 * A line "filtered: NAME KIND COUNT" for each class and kind: 0 is an object, 2 an array of objects
 * of the class, and another number an array of a primitive type, with "-" for the class.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES = 1 << 16, KINDS = 16, STEP = 16, NAME = 128 };

static JVMPI_Interface *jvmpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[NAME];
    long counts[KINDS];
} classes[CLASSES];

static size_t number_of(jobjectID id)
{
    size_t n = (size_t)id / STEP;
    return n < CLASSES ? n : 0;
}

static void on_event(JVMPI_Event *e)
{
    size_t n;
    pthread_mutex_lock(&lock);
    if (e->event_type == JVMPI_EVENT_CLASS_LOAD) {
        n = number_of(e->u.class_load.class_id);
        snprintf(classes[n].name, NAME, "%s", e->u.class_load.class_name);
    } else if (e->event_type == JVMPI_EVENT_OBJECT_ALLOC) {
        n = e->u.obj_alloc.is_array > JVMPI_CLASS ? 0 : number_of(e->u.obj_alloc.class_id);
        classes[n].counts[e->u.obj_alloc.is_array % KINDS]++;
    }
    pthread_mutex_unlock(&lock);
    if (e->event_type != JVMPI_EVENT_JVM_SHUT_DOWN)
        return;
    jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    for (n = 0; n < CLASSES; n++)
        for (int kind = 0; kind < KINDS; kind++)
            if (classes[n].counts[kind] > 0)
                fprintf(stderr, "filtered: %s %d %ld\n", n ? classes[n].name : "-", kind,
                        classes[n].counts[kind]);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_JVM_SHUT_DOWN};
    void *answer = NULL;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
