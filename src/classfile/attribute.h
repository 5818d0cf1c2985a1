/*
 * attribute.h - the list of attributes of a class, field, method or Code attribute.
 *
 * Source: JVM specification, section 4.7.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/cpool.h"

struct attribute {
    struct cpool_utf8 name;
    const uint8_t *bytes; /* the contents, behind the length */
    uint32_t len;
    size_t begin; /* position of its name index in the reader */
};

/** The next attribute; the reader stands behind it afterwards. Errors: those of `r`. */
int attribute_next(struct rd *r, const struct cpool *p, struct attribute *ret);
/** Skip attributes_count and the attributes. Errors: those of `r`. */
int attribute_skip_all(struct rd *r, const struct cpool *p);
