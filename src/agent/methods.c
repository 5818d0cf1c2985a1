/*
 * methods.c - see methods.h.
 *
 * A method's texts stand behind each other, each with its NUL: class, name, descriptor, source.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/methods.h"
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include "base/pages.h"
#include "classfile/instrument.h"

enum {
    TEXT_BYTES = 512 << 20, /* of address space; what is used counts */
};

static _Atomic uint32_t *places; /* where the texts of each number begin */
static char *texts;
static _Atomic uint32_t texts_used;
static _Atomic uint32_t next_number;

int methods_init(void)
{
    if (!places)
        places = pages_map(METHODS_MAX * sizeof(*places));
    if (!texts)
        texts = pages_map(TEXT_BYTES);
    return places && texts ? 0 : -ENOMEM;
}

static char *put(char *to, struct cpool_utf8 text)
{
    to = mempcpy(to, text.bytes, text.len);
    *to = '\0';
    return to + 1;
}

int32_t methods_add(const struct instrument_method *m)
{
    uint32_t len = (uint32_t)m->class_name.len + m->name.len + m->desc.len + m->source_name.len + 4;
    uint32_t at = atomic_load(&texts_used), number;

    do {
        if (len > TEXT_BYTES - at)
            return -1;
    } while (!atomic_compare_exchange_weak(&texts_used, &at, at + len));
    number = atomic_fetch_add(&next_number, 1);
    if (number >= METHODS_MAX) {
        atomic_fetch_sub(&next_number, 1);
        return -1;
    }
    put(put(put(put(texts + at, m->class_name), m->name), m->desc), m->source_name);
    atomic_store(&places[number], at);
    return (int32_t)number;
}

uint32_t methods_count(void)
{
    uint32_t count = atomic_load(&next_number);

    return count < METHODS_MAX ? count : METHODS_MAX;
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
