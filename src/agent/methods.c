/*
 * methods.c - see methods.h.
 *
 * A method's texts stand behind each other, each with its NUL: class, name, descriptor, source.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/methods.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "base/lock.h"
#include "base/pages.h"
#include "classfile/instrument.h"

enum {
    TEXT_BYTES = 512 << 20, /* of address space; what is used counts */
    SLOTS = 2 * METHODS_MAX,
};

static _Atomic uint32_t *places; /* where the texts of each number begin */
static char *texts;
static uint32_t *slots;                       /* by hash of the texts: 1 + a number, 0 free */
static struct lock lock = LOCK_INIT(METHODS); /* of who adds */
static uint32_t texts_used;
static _Atomic uint32_t next_number;

int methods_init(void)
{
    if (!places)
        places = pages_map(METHODS_MAX * sizeof(*places));
    if (!texts)
        texts = pages_map(TEXT_BYTES);
    if (!slots)
        slots = pages_map(SLOTS * sizeof(*slots));
    return places && texts && slots ? 0 : -ENOMEM;
}

/* FNV-1a, with the NUL behind each text. */
static uint32_t hash_text(uint32_t h, struct cpool_utf8 text)
{
    for (uint16_t i = 0; i < text.len; i++)
        h = (h ^ (uint8_t)text.bytes[i]) * 16777619u;
    return h * 16777619u;
}

static bool is_text(const char *known, struct cpool_utf8 text)
{
    return strncmp(known, text.bytes, text.len) == 0 && known[text.len] == '\0';
}

static bool is_method(uint32_t number, const struct instrument_method *m)
{
    struct methods_names n = methods_names(number);

    return is_text(n.name, m->name) && is_text(n.class_name, m->class_name) &&
           is_text(n.desc, m->desc) && is_text(n.source, m->source_name);
}

/* The slot of the method, or the free one where it belongs: half of them are free. */
static uint32_t *slot_of(const struct instrument_method *m)
{
    uint32_t h = 2166136261u;

    h = hash_text(hash_text(hash_text(h, m->class_name), m->name), m->desc);
    while (slots[h % SLOTS] && !is_method(slots[h % SLOTS] - 1, m))
        h++;
    return &slots[h % SLOTS];
}

static char *put(char *to, struct cpool_utf8 text)
{
    to = mempcpy(to, text.bytes, text.len);
    *to = '\0';
    return to + 1;
}

/* Returns the new number, or -1. Needs the lock. */
static int32_t add(const struct instrument_method *m)
{
    uint32_t len = (uint32_t)m->class_name.len + m->name.len + m->desc.len + m->source_name.len + 4;
    uint32_t number = next_number;

    if (number == METHODS_MAX || len > TEXT_BYTES - texts_used)
        return -1;
    put(put(put(put(texts + texts_used, m->class_name), m->name), m->desc), m->source_name);
    atomic_store(&places[number], texts_used);
    texts_used += len;
    atomic_store(&next_number, number + 1);
    return (int32_t)number;
}

int32_t methods_add(const struct instrument_method *m)
{
    uint32_t *slot;
    int32_t number;

    lock_take(&lock);
    slot = slot_of(m);
    number = *slot ? (int32_t)(*slot - 1) : add(m);
    if (number >= 0)
        *slot = (uint32_t)number + 1;
    lock_give(&lock);
    return number;
}

uint32_t methods_count(void)
{
    return atomic_load(&next_number);
}

struct methods_names methods_names(uint32_t number)
{
    struct methods_names n;

    n.class_name = texts + places[number];
    n.name = n.class_name + strlen(n.class_name) + 1;
    n.desc = n.name + strlen(n.name) + 1;
    n.source = n.desc + strlen(n.desc) + 1;
    return n;
}
