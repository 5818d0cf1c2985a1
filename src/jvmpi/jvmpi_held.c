/*
 * jvmpi_held.c - see jvmpi_held.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_held.h"
#include <stdlib.h>
#include "jvmpi/jvmpi_self.h"

enum { ROOM_FIRST = 64 };

/* Weak references: if the thread has dropped an object, nothing keeps it alive. */
static __thread struct {
    jweak *all;
    size_t count, room;
} held;

static bool make_room(void)
{
    size_t room = held.room ? 2 * held.room : ROOM_FIRST;
    jweak *all;
    if (held.count < held.room)
        return true;
    all = realloc(held.all, room * sizeof(jweak));
    if (!all)
        return false;
    held.all = all;
    held.room = room;
    return true;
}

void jvmpi_held_note(JNIEnv *env, jobject object)
{
    jweak ref;
    if (!make_room())
        return;
    jvmpi_self_hush();
    ref = (*env)->NewWeakGlobalRef(env, object);
    jvmpi_self_speak();
    if (ref)
        held.all[held.count++] = ref;
}

/* A call of `tell` may make the thread hold more objects. */
void jvmpi_held_tell(JNIEnv *env, void (*tell)(JNIEnv *env, jobject object))
{
    while (held.count > 0) {
        jweak ref = held.all[--held.count];
        jobject object = (*env)->NewLocalRef(env, ref);
        jvmpi_self_hush();
        (*env)->DeleteWeakGlobalRef(env, ref);
        jvmpi_self_speak();
        if (object)
            tell(env, object);
        (*env)->DeleteLocalRef(env, object);
    }
    free(held.all);
    held.all = NULL;
    held.room = 0;
}
