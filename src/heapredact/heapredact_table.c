/*
 * heapredact_table.c - see heapredact_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

void heapredact_table_init(struct heapredact_table *t)
{
    *t = (struct heapredact_table){.generation = 1};
    idmap_init(&t->texts);
    idmap_init(&t->indexes);
}

void heapredact_table_done(struct heapredact_table *t)
{
    idmap_done(&t->texts);
    idmap_done(&t->indexes);
    free(t->classes);
    free(t->types);
}

void heapredact_table_mark(struct heapredact_table *t, uint64_t text, uint32_t bits)
{
    uint32_t old = idmap_get(&t->texts, text);
    if ((old | bits) != old)
        idmap_put(&t->texts, text, old | bits);
    if (idmap_error(&t->texts))
        t->error = idmap_error(&t->texts);
}

struct heapredact_class *heapredact_table_class(const struct heapredact_table *t, uint64_t id)
{
    uint32_t number = idmap_get(&t->indexes, id);
    return number > 0 ? &t->classes[number - 1] : NULL;
}

struct heapredact_class *heapredact_table_add(struct heapredact_table *t, uint64_t id)
{
    struct heapredact_class *known = heapredact_table_class(t, id);
    if (known)
        return known;
    if (t->class_count == t->class_room) {
        uint32_t room = t->class_room ? t->class_room * 2 : 1024;
        struct heapredact_class *more =
            room > t->class_room ? realloc(t->classes, room * sizeof(*more)) : NULL;
        if (!more) {
            t->error = -ENOMEM;
            return NULL;
        }
        t->classes = more;
        t->class_room = room;
    }
    idmap_put(&t->indexes, id, t->class_count + 1);
    if (idmap_error(&t->indexes)) {
        t->error = idmap_error(&t->indexes);
        return NULL;
    }
    known = &t->classes[t->class_count++];
    *known = (struct heapredact_class){0};
    return known;
}

static bool has_room(struct heapredact_table *t, uint32_t count)
{
    size_t room = t->type_room ? t->type_room : 4096;
    while (room - t->type_count < count)
        room *= 2;
    if (room == t->type_room)
        return true;
    uint8_t *more = realloc(t->types, room);
    if (!more) {
        t->error = -ENOMEM;
        return false;
    }
    t->types = more;
    t->type_room = room;
    return true;
}

void heapredact_table_define(struct heapredact_table *t, uint64_t id, uint64_t super,
                             const uint8_t *types, uint32_t count)
{
    struct heapredact_class *c = heapredact_table_add(t, id);
    if (!c)
        return;
    bool is_same = c->has_dump && c->super == super && c->count == count &&
                   (count == 0 || memcmp(t->types + c->first, types, count) == 0);
    if (is_same || !has_room(t, count))
        return;
    if (count > 0)
        memcpy(t->types + t->type_count, types, count);
    c->super = super;
    c->first = t->type_count;
    c->count = count;
    c->has_dump = true;
    c->has_zeroed = false;
    c->own_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        c->has_zeroed |= (types[i] & HEAPREDACT_ZEROED) != 0;
        c->own_bytes += heapredact_table_size(t, types[i]);
    }
    t->type_count += count;
    t->generation++;
}

void heapredact_table_check(struct heapredact_table *t, struct heapredact_class *c)
{
    if (c->checked == t->generation)
        return;
    const struct heapredact_class *at = c, *last = c;
    uint32_t depth = 0;
    c->is_copied = true;
    c->bytes = 0;
    for (; at && at->has_dump && depth < HEAPREDACT_SUPERS_MAX; depth++) {
        c->is_copied &= !at->has_zeroed;
        c->bytes += at->own_bytes;
        last = at;
        at = at->super != 0 ? heapredact_table_class(t, at->super) : NULL;
    }
    if (depth == HEAPREDACT_SUPERS_MAX)
        t->error = E_LIMIT;
    c->is_whole = !at && last->has_dump && last->super == 0;
    c->checked = t->generation;
}
