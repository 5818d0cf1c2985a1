/*
 * classfile.c - reads a class file in place: see classfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/classfile.h"
#include <errno.h>
#include "base/arena.h"
#include "base/be.h"
#include "base/err.h"
#include "base/rd.h"

static const uint32_t MAGIC = 0xCAFEBABE;

/* ---- attributes */

int classfile_next_attribute(struct rd *r, const struct cpool *p, struct classfile_attribute *ret)
{
    ret->begin = r->pos;
    unsigned name = rd_u2(r);
    if (!cpool_utf8_at(p, name, &ret->name))
        return rd_fail(r, E_FORMAT);
    ret->len = rd_u4(r);
    ret->bytes = rd_bytes(r, ret->len);
    return r->error;
}

int classfile_skip_attributes(struct rd *r, const struct cpool *p)
{
    struct classfile_attribute a;
    for (unsigned n = rd_u2(r); n > 0 && classfile_next_attribute(r, p, &a) == 0; n--)
        ;
    return r->error;
}

/* ---- the class */

static void read_head(struct classfile *c, struct rd *r)
{
    if (rd_u4(r) != MAGIC) {
        r->pos = 0;
        rd_fail(r, r->error ? r->error : E_FORMAT);
    }
    c->minor = rd_u2(r);
    c->major = rd_u2(r);
    if (c->major < CLASSFILE_MAJOR_MIN || c->major > CLASSFILE_MAJOR_MAX)
        rd_fail(r, E_UNSUPPORTED);
}

static void read_names(struct classfile *c, struct rd *r)
{
    c->pool_end = r->pos;
    c->access = rd_u2(r);
    c->this_index = rd_u2(r);
    if (!cpool_class_at(&c->pool, c->this_index, &c->name))
        rd_fail(r, E_FORMAT);
    unsigned super = rd_u2(r);
    if (super != 0 && !cpool_class_at(&c->pool, super, &c->super))
        rd_fail(r, E_FORMAT);
    rd_skip(r, 2 * (size_t)rd_u2(r)); /* interfaces */
}

static void skip_fields(struct classfile *c, struct rd *r)
{
    for (unsigned n = rd_u2(r); n > 0 && r->error == 0; n--) {
        rd_skip(r, 6);
        classfile_skip_attributes(r, &c->pool);
    }
}

static void read_method(struct classfile *c, struct rd *r, struct classfile_method *m)
{
    m->begin = r->pos;
    m->access = rd_u2(r);
    unsigned name = rd_u2(r);
    unsigned desc = rd_u2(r);
    if (!cpool_utf8_at(&c->pool, name, &m->name) || !cpool_utf8_at(&c->pool, desc, &m->desc))
        rd_fail(r, E_FORMAT);
    struct classfile_attribute a;
    for (unsigned n = rd_u2(r); n > 0 && classfile_next_attribute(r, &c->pool, &a) == 0; n--) {
        if (cpool_utf8_is(a.name, "Code")) {
            if (m->code_at != 0)
                rd_fail(r, E_FORMAT); /* a second Code attribute */
            m->code_at = a.begin;
            m->code = a.bytes;
            m->code_len = a.len;
        } else if (cpool_utf8_is(a.name, "RuntimeVisibleAnnotations")) {
            m->annotations = a.bytes;
            m->annotations_len = a.len;
        }
    }
    m->end = r->pos;
}

int classfile_read(struct classfile *ret, const void *bytes, size_t len, struct arena *a,
                   size_t *ret_error_at)
{
    struct rd r;
    *ret = (struct classfile){.bytes = bytes, .len = len};
    rd_init(&r, bytes, len);
    if (len > UINT32_MAX)
        rd_fail(&r, E_LIMIT);
    read_head(ret, &r);
    if (r.error == 0)
        cpool_read(&ret->pool, &r, a);
    if (r.error == 0) {
        read_names(ret, &r);
        skip_fields(ret, &r);
        ret->method_count = rd_u2(&r);
    }
    if (r.error == 0) {
        ret->methods = arena_alloc(a, ret->method_count * sizeof(*ret->methods));
        if (!ret->methods)
            rd_fail(&r, -ENOMEM);
    }
    for (unsigned i = 0; ret->methods && i < ret->method_count && r.error == 0; i++)
        read_method(ret, &r, ret->methods + i);
    ret->methods_end = r.pos;
    if (r.error == 0) {
        classfile_skip_attributes(&r, &ret->pool);
        if (r.error == 0 && r.pos != len)
            rd_fail(&r, E_FORMAT); /* the VM too refuses bytes behind the end */
    }
    *ret_error_at = r.error_pos;
    return r.error;
}

bool classfile_is_object_init(const struct classfile *c, const struct classfile_method *m)
{
    return c->super.len == 0 && cpool_utf8_is(m->name, "<init>");
}

struct cpool_utf8 classfile_source_name(const struct classfile *c)
{
    enum { INDEX_BYTES = 2 };
    struct cpool_utf8 source = {"", 0};
    struct classfile_attribute a;
    struct rd r;
    rd_init(&r, c->bytes, c->len);
    rd_skip(&r, c->methods_end);
    for (unsigned n = rd_u2(&r); n > 0 && classfile_next_attribute(&r, &c->pool, &a) == 0; n--) {
        if (a.len == INDEX_BYTES && cpool_utf8_is(a.name, "SourceFile"))
            cpool_utf8_at(&c->pool, be_2(a.bytes), &source);
    }
    return source;
}
