/*
 * live_set.c - see live_set.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/allocsample/live_set.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/splitmix.h"

int live_set_open(struct live_set *s, size_t bytes, uint64_t seed)
{
    uint32_t capacity = (uint32_t)(bytes / sizeof(*s->objects));
    *s = (struct live_set){.capacity = capacity, .one_in = 1, .random = seed};
    s->objects = calloc(capacity, sizeof(*s->objects));
    if (s->objects)
        return 0;
    *s = (struct live_set){.capacity = 0};
    return -ENOMEM;
}

void live_set_close(struct live_set *s, JNIEnv *env)
{
    for (uint32_t i = 0; env && i < s->count; i++)
        (*env)->DeleteWeakGlobalRef(env, s->objects[i].ref);
    free(s->objects);
    memset(s, 0, sizeof(*s));
}

static void drop(struct live_set *s, JNIEnv *env, uint32_t place)
{
    (*env)->DeleteWeakGlobalRef(env, s->objects[place].ref);
    s->count--;
    s->objects[place] = s->objects[s->count];
}

void live_set_sweep(struct live_set *s, JNIEnv *env)
{
    for (uint32_t i = s->count; i-- > 0;)
        if ((*env)->IsSameObject(env, s->objects[i].ref, NULL))
            drop(s, env, i);
}

/* Drop each object with a probability of one half. */
static void halve(struct live_set *s, JNIEnv *env)
{
    for (uint32_t i = s->count; i-- > 0;)
        if (splitmix_next(&s->random) >> 63)
            drop(s, env, i);
    for (uint32_t i = 0; i < s->count; i++) {
        s->objects[i].for_bytes *= 2;
        s->objects[i].for_objects *= 2;
    }
    s->one_in *= 2;
}

/* Sweep the set, and halve it if it is still nearly full. Otherwise it would be swept again and
 * again. */
static void make_room(struct live_set *s, JNIEnv *env)
{
    live_set_sweep(s, env);
    if (s->count > s->capacity / 8 * 7)
        halve(s, env);
}

static bool is_taken(struct live_set *s)
{
    return (splitmix_next(&s->random) & (s->one_in - 1)) == 0;
}

int live_set_add(struct live_set *s, JNIEnv *env, jobject object, const struct live_object *o)
{
    jweak ref;
    if (s->count == s->capacity)
        make_room(s, env);
    if (s->count == s->capacity || !is_taken(s))
        return 0;
    ref = (*env)->NewWeakGlobalRef(env, object);
    if (!ref) {
        (*env)->ExceptionClear(env);
        return -ENOMEM;
    }
    s->objects[s->count] = *o;
    s->objects[s->count].ref = ref;
    s->objects[s->count].for_bytes *= s->one_in;
    s->objects[s->count].for_objects *= s->one_in;
    s->count++;
    return 0;
}
