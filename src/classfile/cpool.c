/*
 * cpool.c - the constant pool of a class file: see cpool.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/cpool.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/be.h"
#include "base/err.h"
#include "base/fnv.h"
#include "base/rd.h"

/* Bytes after the tag. The value is 0 for an unknown tag, and for Utf8, which has its own
 * length. */
static const uint8_t entry_bytes[] = {
    [CPOOL_INTEGER] = 4,       [CPOOL_FLOAT] = 4,          [CPOOL_LONG] = 8,
    [CPOOL_DOUBLE] = 8,        [CPOOL_CLASS] = 2,          [CPOOL_STRING] = 2,
    [CPOOL_FIELDREF] = 4,      [CPOOL_METHODREF] = 4,      [CPOOL_INTERFACE_METHODREF] = 4,
    [CPOOL_NAME_AND_TYPE] = 4, [CPOOL_METHOD_HANDLE] = 3,  [CPOOL_METHOD_TYPE] = 2,
    [CPOOL_DYNAMIC] = 4,       [CPOOL_INVOKE_DYNAMIC] = 4, [CPOOL_MODULE] = 2,
    [CPOOL_PACKAGE] = 2,
};

int cpool_read(struct cpool *p, struct rd *r, struct arena *a)
{
    *p = (struct cpool){.file = r->bytes, .arena = a};
    p->count = rd_u2(r);
    if (p->count == 0)
        return rd_fail(r, E_FORMAT);
    p->next = p->count;
    p->at = arena_alloc(a, p->count * sizeof(*p->at));
    if (!p->at)
        return rd_fail(r, -ENOMEM);
    for (uint32_t i = 1; i < p->count && r->error == 0; i++) {
        size_t begin = r->pos;
        unsigned tag = rd_u1(r);
        if (tag == CPOOL_UTF8) {
            rd_skip(r, rd_u2(r));
        } else if (tag < sizeof(entry_bytes) && entry_bytes[tag] != 0) {
            rd_skip(r, entry_bytes[tag]);
        } else {
            r->pos = begin; /* the error message names the position of the tag */
            rd_fail(r, r->error ? r->error : E_UNSUPPORTED);
        }
        p->at[i] = (uint32_t)begin;
        if (tag == CPOOL_LONG || tag == CPOOL_DOUBLE)
            i++; /* the entry takes two indexes; the second has no entry */
    }
    return r->error;
}

unsigned cpool_tag_of(const struct cpool *p, unsigned index)
{
    return index < p->count && p->at[index] != 0 ? p->file[p->at[index]] : 0;
}

int cpool_utf8_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret)
{
    if (cpool_tag_of(p, index) != CPOOL_UTF8)
        return 0;
    const uint8_t *entry = p->file + p->at[index];
    *ret = (struct cpool_utf8){(const char *)entry + 3, be_2(entry + 1)};
    return 1;
}

int cpool_class_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret)
{
    return cpool_tag_of(p, index) == CPOOL_CLASS &&
           cpool_utf8_at(p, be_2(p->file + p->at[index] + 1), ret);
}

int cpool_method_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret_class,
                    struct cpool_utf8 *ret_name, struct cpool_utf8 *ret_desc)
{
    unsigned tag = cpool_tag_of(p, index);
    if (tag != CPOOL_METHODREF && tag != CPOOL_INTERFACE_METHODREF)
        return 0;
    const uint8_t *entry = p->file + p->at[index];
    unsigned pair = be_2(entry + 3);
    if (!cpool_class_at(p, be_2(entry + 1), ret_class) ||
        cpool_tag_of(p, pair) != CPOOL_NAME_AND_TYPE)
        return 0;
    const uint8_t *names = p->file + p->at[pair];
    return cpool_utf8_at(p, be_2(names + 1), ret_name) &&
           cpool_utf8_at(p, be_2(names + 3), ret_desc);
}

bool cpool_names_method(const struct cpool *p, struct cpool_utf8 class_name, struct cpool_utf8 name)
{
    struct cpool_utf8 its_class, its_name, its_desc;
    for (unsigned i = 1; i < p->count; i++)
        if (cpool_method_at(p, i, &its_class, &its_name, &its_desc) &&
            cpool_utf8_equals(its_class, class_name) && cpool_utf8_equals(its_name, name))
            return true;
    return false;
}

bool cpool_has_nan(const struct cpool *p)
{
    const uint64_t infinity_of_float = 0x7f800000, infinity_of_double = 0x7ff0000000000000;
    for (unsigned i = 1; i < p->count; i++) {
        const uint8_t *entry = p->file + p->at[i];
        unsigned tag = cpool_tag_of(p, i);
        if (tag == CPOOL_FLOAT && (be_4(entry + 1) & INT32_MAX) > infinity_of_float)
            return true;
        if (tag == CPOOL_DOUBLE && (be_8(entry + 1) & INT64_MAX) > infinity_of_double)
            return true;
    }
    return false;
}

bool cpool_utf8_equals(struct cpool_utf8 a, struct cpool_utf8 b)
{
    return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

bool cpool_utf8_is(struct cpool_utf8 u, const char *text)
{
    return strlen(text) == u.len && memcmp(u.bytes, text, u.len) == 0;
}

int cpool_utf8_starts(struct cpool_utf8 u, const char *text)
{
    size_t len = strlen(text);
    return len <= u.len && memcmp(u.bytes, text, len) == 0;
}

/* ---- added entries */

enum {
    ADDED_FIRST = 512, /* bytes; enough for the tracker's names */
    ADDED_LIMIT = 64 << 20,
    SLOTS_MIN = 64,
    PROBES_MAX = 64,       /* most steps from a name's slot to a free one */
    NAME_MAX_BYTES = 1024, /* longer names are not searched for */
};

/* Adds an entry of `len` bytes. Returns its index and, in `ret_at`, its bytes behind the tag; 0:
 * there is no room. */
static uint16_t add(struct cpool *p, uint8_t tag, size_t len, uint8_t **ret_at)
{
    if (p->next >= CPOOL_MAX)
        return 0;
    if (!p->added.bytes)
        outbuf_init(&p->added, p->arena, ADDED_FIRST, ADDED_LIMIT);
    *ret_at = outbuf_take(&p->added, len);
    if (!*ret_at)
        return 0;
    *(*ret_at)++ = tag;
    return (uint16_t)p->next++;
}

uint16_t cpool_add_utf8(struct cpool *p, const char *bytes, size_t len)
{
    uint8_t *at;
    uint16_t index = len <= UINT16_MAX ? add(p, CPOOL_UTF8, len + 3, &at) : 0;
    if (index) {
        be_put2(at, (uint16_t)len);
        memcpy(at + 2, bytes, len);
    }
    return index;
}

uint16_t cpool_add_integer(struct cpool *p, int32_t value)
{
    uint8_t *at;
    uint16_t index = add(p, CPOOL_INTEGER, 5, &at);
    if (index)
        be_put4(at, (uint32_t)value);
    return index;
}

static uint16_t add_pair(struct cpool *p, uint8_t tag, uint16_t first, uint16_t second)
{
    uint8_t *at;
    uint16_t index = first && second ? add(p, tag, 5, &at) : 0;
    if (index) {
        be_put2(at, first);
        be_put2(at + 2, second);
    }
    return index;
}

uint16_t cpool_add_methodref(struct cpool *p, uint16_t class_index, const char *name,
                             const char *desc)
{
    uint16_t name_index = cpool_add_utf8(p, name, strlen(name));
    uint16_t desc_index = cpool_add_utf8(p, desc, strlen(desc));
    uint16_t both = add_pair(p, CPOOL_NAME_AND_TYPE, name_index, desc_index);
    return add_pair(p, CPOOL_METHODREF, class_index, both);
}

/* The name of the class in a slot. */
static struct cpool_utf8 slot_name(const struct cpool *p, const struct cpool_slot *s)
{
    const uint8_t *entry = (s->is_added ? p->added.bytes : p->file) + s->utf8_at;
    return (struct cpool_utf8){(const char *)entry + 3, be_2(entry + 1)};
}

/* The slot with that name, or the free slot where it belongs. NULL: no such slot was found soon
 * enough. A hostile file may have long names or colliding names; then the class gets a second
 * entry, which is legal. */
static struct cpool_slot *find_slot(const struct cpool *p, const char *name, size_t len)
{
    if (len > NAME_MAX_BYTES)
        return NULL;
    uint32_t i = (uint32_t)fnv_end(fnv_add(FNV_START, name, len));
    for (int step = 0; step < PROBES_MAX; step++, i++) {
        struct cpool_slot *s = p->slots + (i & p->slot_mask);
        if (s->index == 0)
            return s;
        struct cpool_utf8 u = slot_name(p, s);
        if (u.len == len && memcmp(u.bytes, name, len) == 0)
            return s;
    }
    return NULL;
}

static int build_slots(struct cpool *p)
{
    uint32_t classes = 0;
    for (uint32_t i = 1; i < p->count; i++)
        classes += cpool_tag_of(p, i) == CPOOL_CLASS;
    uint32_t slots = SLOTS_MIN;
    while (slots < 2 * classes)
        slots *= 2;
    p->slots = arena_alloc(p->arena, slots * sizeof(*p->slots));
    if (!p->slots)
        return 0;
    p->slot_mask = slots - 1;
    for (uint32_t i = 1; i < p->count; i++) {
        struct cpool_utf8 u;
        struct cpool_slot *s = NULL;
        if (cpool_class_at(p, i, &u))
            s = find_slot(p, u.bytes, u.len);
        if (s && s->index == 0)
            *s = (struct cpool_slot){(uint32_t)((const uint8_t *)u.bytes - 3 - p->file),
                                     (uint16_t)i, 0};
    }
    return 1;
}

uint16_t cpool_add_class(struct cpool *p, const char *name, size_t len)
{
    if (!p->slots && !build_slots(p))
        return 0;
    struct cpool_slot *s = find_slot(p, name, len);
    if (s && s->index != 0)
        return s->index;
    uint32_t utf8_at = (uint32_t)p->added.len;
    uint16_t name_index = cpool_add_utf8(p, name, len);
    uint8_t *at;
    uint16_t index = name_index ? add(p, CPOOL_CLASS, 3, &at) : 0;
    if (index)
        be_put2(at, name_index);
    if (index && s)
        *s = (struct cpool_slot){utf8_at, index, 1};
    return index;
}
