/*
 * cpool.c - the constant pool of a class file: see cpool.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/cpool.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "base/be.h"

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
