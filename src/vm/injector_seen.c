/*
 * injector_seen.c - see injector_seen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector_seen.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "base/arena.h"

enum {
    BUCKETS = 1024,
    BYTES_MAX = 4 << 20,
};

/* A class name that one user has watched. */
struct name {
    struct name *next;
    const void *user;
    bool is_plain; /* each class of that name: nothing to inject */
    char text[];
};

static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct name *buckets[BUCKETS];
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .arena = {.budget = BYTES_MAX}};

/* FNV-1a. */
static struct name **bucket_of(const char *name)
{
    uint32_t h = 2166136261u;

    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    return &seen.buckets[h % BUCKETS];
}

static struct name *find(const char *name, const void *user)
{
    struct name *n = *bucket_of(name);

    while (n && (n->user != user || strcmp(n->text, name) != 0))
        n = n->next;
    return n;
}

void injector_seen_note(const char *name, const void *user, bool is_plain)
{
    size_t size = strlen(name) + 1;
    struct name *n, **bucket;

    pthread_mutex_lock(&seen.lock);
    n = find(name, user);
    if (n) {
        n->is_plain &= is_plain;
    } else if ((n = arena_alloc(&seen.arena, sizeof(*n) + size)) != NULL) {
        bucket = bucket_of(name);
        *n = (struct name){.next = *bucket, .user = user, .is_plain = is_plain};
        memcpy(n->text, name, size);
        *bucket = n;
    }
    pthread_mutex_unlock(&seen.lock);
}

bool injector_seen_is_plain(const char *name, const void *user)
{
    const struct name *n;
    bool is_plain;

    pthread_mutex_lock(&seen.lock);
    n = find(name, user);
    is_plain = n && n->is_plain;
    pthread_mutex_unlock(&seen.lock);
    return is_plain;
}
