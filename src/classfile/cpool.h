/*
 * cpool.h - the constant pool of a class file: read in place, added to at its end.
 *
 * Reading notes where each entry begins and copies nothing. What is added is kept apart and written
 * behind the old entries, so old indices stay valid. Source: JVM specification, section 4.4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "classfile/outbuf.h"

struct arena;
struct rd;

enum cpool_tag {
    CPOOL_UTF8 = 1,
    CPOOL_INTEGER = 3,
    CPOOL_FLOAT = 4,
    CPOOL_LONG = 5,
    CPOOL_DOUBLE = 6,
    CPOOL_CLASS = 7,
    CPOOL_STRING = 8,
    CPOOL_FIELDREF = 9,
    CPOOL_METHODREF = 10,
    CPOOL_INTERFACE_METHODREF = 11,
    CPOOL_NAME_AND_TYPE = 12,
    CPOOL_METHOD_HANDLE = 15,
    CPOOL_METHOD_TYPE = 16,
    CPOOL_DYNAMIC = 17,
    CPOOL_INVOKE_DYNAMIC = 18,
    CPOOL_MODULE = 19,
    CPOOL_PACKAGE = 20,
};

enum { CPOOL_MAX = 65535 }; /* the largest constant_pool_count */

/** Modified UTF-8, not terminated. Owner: the class file's bytes. */
struct cpool_utf8 {
    const char *bytes;
    uint16_t len;
};

/* One Class entry: where the Utf8 entry of its name begins, in the file or in what was added. */
struct cpool_slot {
    uint32_t utf8_at;
    uint16_t index; /* 0: free */
    uint16_t is_added;
};

struct cpool {
    const uint8_t *file;
    uint32_t *at;   /* offset of the tag of each entry; 0 where no entry begins */
    uint32_t count; /* constant_pool_count of the file */
    uint32_t next;  /* the same with what was added */
    struct arena *arena;
    struct outbuf added;
    struct cpool_slot *slots; /* class names to indices; made by the first cpool_add_class() */
    uint32_t slot_mask;
};

/** Reads constant_pool_count and the entries. Errors: those of `r`. */
int cpool_read(struct cpool *p, struct rd *r, struct arena *a);
/** The tag of an entry of the file, 0 where there is none. */
unsigned cpool_tag_of(const struct cpool *p, unsigned index);
/** Non-zero, and the text, when `index` is a Utf8 entry of the file. */
int cpool_utf8_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret);
/** As cpool_utf8_at(), for the name of a Class entry: java/lang/String, [I. */
int cpool_class_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret);
/** Class, name and descriptor of a Methodref or InterfaceMethodref entry. Non-zero if it is one. */
int cpool_method_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret_class,
                    struct cpool_utf8 *ret_name, struct cpool_utf8 *ret_desc);
/** Whether the file has a Methodref of that class and name, with any descriptor. */
bool cpool_names_method(const struct cpool *p, struct cpool_utf8 class_name,
                        struct cpool_utf8 name);
/** Whether a Float or Double entry is not a number. */
bool cpool_has_nan(const struct cpool *p);
bool cpool_utf8_equals(struct cpool_utf8 a, struct cpool_utf8 b);
bool cpool_utf8_is(struct cpool_utf8 u, const char *text);
int cpool_utf8_starts(struct cpool_utf8 u, const char *text);
