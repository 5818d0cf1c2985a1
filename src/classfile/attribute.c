/*
 * attribute.c - lists of attributes: see attribute.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/attribute.h"
#include "base/err.h"
#include "base/rd.h"

int attribute_next(struct rd *r, const struct cpool *p, struct attribute *ret)
{
    ret->begin = r->pos;
    unsigned name = rd_u2(r);
    if (!cpool_utf8_at(p, name, &ret->name))
        return rd_fail(r, E_FORMAT);
    ret->len = rd_u4(r);
    ret->bytes = rd_bytes(r, ret->len);
    return r->error;
}

int attribute_skip_all(struct rd *r, const struct cpool *p)
{
    struct attribute a;
    for (unsigned n = rd_u2(r); n > 0 && attribute_next(r, p, &a) == 0; n--)
        ;
    return r->error;
}
