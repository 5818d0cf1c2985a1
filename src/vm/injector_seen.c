/*
 * injector_seen.c - see injector_seen.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector_seen.h"
#include <stdint.h>
#include <string.h>
#include "base/arena.h"
#include "base/fnv.h"
#include "base/lock.h"

enum {
    BUCKETS = 1024,
    BYTES_MAX = 4 << 20,
};

/* The name of a class that one user has watched. */
struct name {
    struct name *next;
    const void *user;
    bool is_plain; /* true if no class of that name has something to inject */
    char text[];
};

static struct {
    struct lock lock;
    struct arena arena;
    struct name *buckets[BUCKETS];
} seen = {.lock = LOCK_INIT(INJECTED), .arena = {.budget = BYTES_MAX}};

static struct name **bucket_of(const char *name)
{
    return &seen.buckets[fnv_end(fnv_add(FNV_START, name, strlen(name))) % BUCKETS];
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
    lock_take(&seen.lock);
    n = find(name, user);
    if (n) {
        n->is_plain &= is_plain;
    } else if ((n = arena_alloc(&seen.arena, sizeof(*n) + size)) != NULL) {
        bucket = bucket_of(name);
        *n = (struct name){.next = *bucket, .user = user, .is_plain = is_plain};
        memcpy(n->text, name, size);
        *bucket = n;
    }
    lock_give(&seen.lock);
}

bool injector_seen_is_plain(const char *name, const void *user)
{
    const struct name *n;
    bool is_plain;
    lock_take(&seen.lock);
    n = find(name, user);
    is_plain = n && n->is_plain;
    lock_give(&seen.lock);
    return is_plain;
}
