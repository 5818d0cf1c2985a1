/*
 * objfield.c - see objfield.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/objfield.h"
#include <string.h>
#include "base/be.h"

enum { SUPERS_MAX = 4096 };

static uint32_t size_of(enum graph_type type, unsigned id_bytes)
{
    static const uint8_t sizes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    return type == GRAPH_TYPE_OBJECT ? id_bytes : type <= GRAPH_TYPE_LONG ? sizes[type] : 0;
}

static struct objfield find(const struct graph *g, graph_class klass, const char *name, size_t len)
{
    unsigned id_bytes = graph_facts(g)->layout.id_bytes;
    int64_t offset = 0;
    for (int depth = 0; klass != GRAPH_NO_CLASS && depth < SUPERS_MAX; depth++) {
        const struct graph_class_info *c = graph_class_at(g, klass);
        for (uint32_t i = 0; i < c->field_count; i++) {
            const struct graph_field *f = &c->fields[i];
            if (strncmp(f->name, name, len) == 0 && f->name[len] == '\0' && offset < INT32_MAX)
                return (struct objfield){(int32_t)offset, f->type};
            offset += size_of(f->type, id_bytes);
        }
        klass = c->super;
    }
    return (struct objfield){.offset = -1};
}

struct objfield objfield_find(const struct graph *g, graph_class klass, const char *name)
{
    return find(g, klass, name, strlen(name));
}

struct objfield objfield_find_any(const struct graph *g, graph_class klass, const char *names)
{
    struct objfield field = {.offset = -1};
    while (field.offset < 0 && *names != '\0') {
        size_t len = strcspn(names, " ");
        field = find(g, klass, names, len);
        names += len + (names[len] == ' ');
    }
    return field;
}

static uint64_t bits_of(const unsigned char *bytes, enum graph_type type, unsigned id_bytes)
{
    switch (type) {
    case GRAPH_TYPE_OBJECT:
        return be_id(bytes, id_bytes);
    case GRAPH_TYPE_BOOLEAN:
        return bytes[0];
    case GRAPH_TYPE_BYTE:
        return (uint64_t)(int64_t)(int8_t)bytes[0];
    case GRAPH_TYPE_CHAR:
        return be_2(bytes);
    case GRAPH_TYPE_SHORT:
        return (uint64_t)(int64_t)be_s2(bytes);
    case GRAPH_TYPE_FLOAT:
        return be_4(bytes);
    case GRAPH_TYPE_INT:
        return (uint64_t)(int64_t)be_s4(bytes);
    default:
        return be_8(bytes);
    }
}

bool objfield_read(struct graph *g, const struct graph_info *object, struct objfield field,
                   struct graph_value *ret_value)
{
    unsigned id_bytes = graph_facts(g)->layout.id_bytes;
    uint32_t size = size_of(field.type, id_bytes);
    *ret_value = (struct graph_value){.type = field.type, .object = GRAPH_NONE};
    if (field.offset < 0 || object->kind != GRAPH_INSTANCE || size == 0 ||
        (uint64_t)field.offset + size > object->bytes)
        return false;
    const unsigned char *bytes = graph_value_see(g, object->at + (uint32_t)field.offset, size);
    if (!bytes)
        return false;
    ret_value->bits = bits_of(bytes, field.type, id_bytes);
    if (field.type == GRAPH_TYPE_OBJECT && ret_value->bits != 0)
        ret_value->object = graph_find(g, ret_value->bits);
    return true;
}
