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
    const uint8_t *bytes; /* the contents, which begin after the length */
    uint32_t len;
    size_t begin; /* offset of its name index in the reader */
};

/** Read the next attribute; the reader then stands behind it. Errors: those of `r`. */
int attribute_next(struct rd *r, const struct cpool *p, struct attribute *ret);
/** Read attributes_count and skip all attributes. Errors: those of `r`. */
int attribute_skip_all(struct rd *r, const struct cpool *p);
