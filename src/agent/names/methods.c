/*
 * methods.c - see methods.h.
 *
 * The methods of an injected class come one by one, in the order of the class file. So a look at
 * the method that came last usually finds the next one, or shows that it is new.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/methods.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "base/fnv.h"
#include "base/lock.h"
#include "base/pages.h"
#include "classfile/instrument.h"

enum {
    ROOM_BYTES = 512 << 20, /* of address space; only touched pages use memory */
    ALIGN = 4,
    BUCKETS = 1 << 16,
    NO_METHOD = METHODS_MAX,
};

/* A class, identified by name and source. References are offsets in the room; 0 is none. */
struct known_class {
    uint32_t next;               /* in its bucket */
    uint32_t first, latest, end; /* numbers of its methods: first, last asked for, last added */
    char name[];                 /* the source follows behind the NUL */
};

struct known_method {
    uint32_t klass;
    uint32_t next; /* number of the class's next method */
    char name[];   /* the descriptor follows behind the NUL */
};

static _Atomic uint32_t *places; /* offset of the method of each number */
static char *room;
/* held by the thread that adds; guards the variables below */
static struct lock lock = LOCK_INIT(METHODS);
static uint32_t *buckets; /* by hash of a class's name */
static uint32_t room_used = ALIGN;
static struct known_class *current; /* the class of the method that came last */
static bool is_fresh;               /* `current` was added by the call for its first method */
static _Atomic uint32_t next_number;

int methods_init(void)
{
    if (!places)
        places = pages_map(METHODS_MAX * sizeof(*places));
    if (!room)
        room = pages_map(ROOM_BYTES);
    if (!buckets)
        buckets = pages_map(BUCKETS * sizeof(*buckets));
    return places && room && buckets ? 0 : -ENOMEM;
}

static struct known_method *method_of(uint32_t number)
{
    return (struct known_method *)(room + places[number]);
}

static bool is_text(const char *known, struct cpool_utf8 text)
{
    return strncmp(known, text.bytes, text.len) == 0 && known[text.len] == '\0';
}

static bool is_pair(const char *known, struct cpool_utf8 first, struct cpool_utf8 second)
{
    return is_text(known, first) && is_text(known + first.len + 1, second);
}

static void put_pair(char *to, struct cpool_utf8 first, struct cpool_utf8 second)
{
    to = mempcpy(to, first.bytes, first.len);
    *to = '\0';
    to = mempcpy(to + 1, second.bytes, second.len);
    *to = '\0';
}

/* Take room for a head of `bytes` and two texts behind it. Returns the offset; 0: no room. */
static uint32_t take(size_t bytes, struct cpool_utf8 first, struct cpool_utf8 second)
{
    uint32_t at = room_used;
    bytes = (bytes + first.len + 1 + second.len + 1 + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > ROOM_BYTES - room_used)
        return 0;
    room_used += (uint32_t)bytes;
    return at;
}

static uint32_t *bucket_of(struct cpool_utf8 name)
{
    return &buckets[fnv_end(fnv_add(FNV_START, name.bytes, name.len)) % BUCKETS];
}

/* Make the method's class the current one; add it if it is new. NULL: no room. */
static void choose_class(const struct instrument_method *m)
{
    uint32_t *bucket, at;
    if (current && is_pair(current->name, m->class_name, m->source_name))
        return;
    bucket = bucket_of(m->class_name);
    is_fresh = false;
    for (at = *bucket; at; at = current->next) {
        current = (struct known_class *)(room + at);
        if (is_pair(current->name, m->class_name, m->source_name))
            return;
    }
    current = NULL;
    at = take(sizeof(*current), m->class_name, m->source_name);
    if (!at)
        return;
    current = (struct known_class *)(room + at);
    *current = (struct known_class){*bucket, NO_METHOD, NO_METHOD, NO_METHOD};
    put_pair(current->name, m->class_name, m->source_name);
    *bucket = at;
    is_fresh = true;
}

static bool is_method(uint32_t number, const struct instrument_method *m)
{
    return number != NO_METHOD && is_pair(method_of(number)->name, m->name, m->desc);
}

/* The number of a method of the current class; NO_METHOD: the method is new. */
static uint32_t find(const struct instrument_method *m)
{
    uint32_t number =
        current->latest == NO_METHOD ? current->first : method_of(current->latest)->next;
    if (is_method(number, m))
        return number;
    if (is_method(current->first, m)) {
        is_fresh = false; /* the class is injected once more */
        return current->first;
    }
    number = is_fresh ? NO_METHOD : current->first;
    while (number != NO_METHOD && !is_method(number, m))
        number = method_of(number)->next;
    return number;
}

/* Add a method to the current class; NO_METHOD: no room. */
static uint32_t add(const struct instrument_method *m)
{
    uint32_t number = next_number;
    uint32_t at = number < METHODS_MAX ? take(sizeof(struct known_method), m->name, m->desc) : 0;
    struct known_method *new = (struct known_method *)(room + at);
    if (!at)
        return NO_METHOD;
    *new = (struct known_method){(uint32_t)((char *)current - room), NO_METHOD};
    put_pair(new->name, m->name, m->desc);
    atomic_store(&places[number], at);
    if (current->end == NO_METHOD)
        current->first = number;
    else
        method_of(current->end)->next = number;
    current->end = number;
    atomic_store(&next_number, number + 1);
    return number;
}

int32_t methods_add(const struct instrument_method *m)
{
    uint32_t number = NO_METHOD;
    lock_take(&lock);
    choose_class(m);
    if (current) {
        number = find(m);
        if (number == NO_METHOD)
            number = add(m);
        if (number != NO_METHOD)
            current->latest = number;
    }
    lock_give(&lock);
    return number == NO_METHOD ? -1 : (int32_t)number;
}

uint32_t methods_count(void)
{
    return atomic_load(&next_number);
}

struct methods_names methods_names(uint32_t number)
{
    const struct known_method *m = method_of(number);
    const struct known_class *c = (const struct known_class *)(room + m->klass);
    struct methods_names n = {.class_name = c->name, .name = m->name};
    n.source = n.class_name + strlen(n.class_name) + 1;
    n.desc = n.name + strlen(n.name) + 1;
    return n;
}
