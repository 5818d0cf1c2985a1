/*
 * virtuals.c - see virtuals.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/virtuals.h"
#include <string.h>

enum {
    CAN_SUPPORT_VIRTUAL_THREADS = 44, /* the number of its bit */
    FIRST_EVENT = 50,
    VIRTUAL_THREAD_START = 87,
    VIRTUAL_THREAD_END = 88,
};

union callbacks {
    jvmtiEventCallbacks known;
    jvmtiEventThreadEnd slots[VIRTUAL_THREAD_END - FIRST_EVENT + 1];
};

int virtuals_want(jvmtiEnv *jvmti)
{
    jvmtiCapabilities all, wanted;
    unsigned char *bits = (unsigned char *)&all;

    memset(&wanted, 0, sizeof(wanted));
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &all) != JVMTI_ERROR_NONE ||
        !(bits[CAN_SUPPORT_VIRTUAL_THREADS / 8] >> CAN_SUPPORT_VIRTUAL_THREADS % 8 & 1))
        return 0;
    ((unsigned char *)&wanted)[CAN_SUPPORT_VIRTUAL_THREADS / 8] =
        1u << CAN_SUPPORT_VIRTUAL_THREADS % 8;
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE;
}

static void hear(jvmtiEnv *jvmti, const union callbacks *all, int event)
{
    if ((*jvmti)->SetEventCallbacks(jvmti, &all->known, (jint)sizeof(*all)) == JVMTI_ERROR_NONE)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)event, NULL);
}

void virtuals_hear_starts(jvmtiEnv *jvmti, jvmtiEventThreadStart started)
{
    union callbacks all;

    memset(&all, 0, sizeof(all));
    all.slots[VIRTUAL_THREAD_START - FIRST_EVENT] = started;
    hear(jvmti, &all, VIRTUAL_THREAD_START);
}

static void set_extension(jvmtiEnv *jvmti, const jvmtiExtensionEventInfo *event, void *mounted,
                          void *unmounted)
{
    jvmtiExtensionEvent callback = NULL;

    if (strcmp(event->id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
        memcpy(&callback, &mounted, sizeof(callback));
    else if (strcmp(event->id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
        memcpy(&callback, &unmounted, sizeof(callback));
    else
        return;
    (*jvmti)->SetExtensionEventCallback(jvmti, event->extension_event_index, callback);
    (*jvmti)->SetEventNotificationMode(jvmti, callback ? JVMTI_ENABLE : JVMTI_DISABLE,
                                       (jvmtiEvent)event->extension_event_index, NULL);
}

static void free_extension(jvmtiEnv *jvmti, jvmtiExtensionEventInfo *event)
{
    for (jint i = 0; i < event->param_count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params[i].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->params);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->id);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)event->short_description);
}

void virtuals_hear_mounts(jvmtiEnv *jvmti, jvmtiEventThreadStart mounted,
                          jvmtiEventThreadEnd unmounted)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0;

    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        set_extension(jvmti, &events[i], (void *)mounted, (void *)unmounted);
        free_extension(jvmti, &events[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}

void virtuals_hear_ends(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                        jvmtiEventThreadEnd ended)
{
    union callbacks all = {.known = *callbacks};

    all.slots[VIRTUAL_THREAD_END - FIRST_EVENT] = ended;
    hear(jvmti, &all, VIRTUAL_THREAD_END);
}
