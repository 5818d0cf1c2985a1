/*
 * cpool.h - the constant pool of a class file: read in place, extended at its end.
 *
 * Reading notes where each entry begins and copies nothing. Added entries are kept apart and
 * written behind the old ones, so old indexes stay valid.
 * Source: JVM specification, section 4.4.
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

/** A text in modified UTF-8, without a final 0. Owner: the class file's bytes. */
struct cpool_utf8 {
    const char *bytes;
    uint16_t len;
};

/* One Class entry. `utf8_at` is the offset of the Utf8 entry of its name, in the file or in
 * `added`. */
struct cpool_slot {
    uint32_t utf8_at;
    uint16_t index; /* 0: free */
    uint16_t is_added;
};

struct cpool {
    const uint8_t *file;
    uint32_t *at;   /* offset of each entry's tag; 0: no entry has this index */
    uint32_t count; /* constant_pool_count of the file */
    uint32_t next;  /* like `count`, with the added entries */
    struct arena *arena;
    struct outbuf added;
    /* hash table from class names to indexes; made by the first cpool_add_class() */
    struct cpool_slot *slots;
    uint32_t slot_mask;
};

/** Read constant_pool_count and the entries. Errors: those of `r`. */
int cpool_read(struct cpool *p, struct rd *r, struct arena *a);
/** The tag of an entry of the file; 0: there is no such entry. */
unsigned cpool_tag_of(const struct cpool *p, unsigned index);
/** If `index` is a Utf8 entry of the file, returns non-zero and its text. */
int cpool_utf8_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret);
/** Like cpool_utf8_at(), for the name of a Class entry: java/lang/String, [I. */
int cpool_class_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret);
/** If the entry is a Methodref or InterfaceMethodref, returns non-zero and its class, name and
 * descriptor. */
int cpool_method_at(const struct cpool *p, unsigned index, struct cpool_utf8 *ret_class,
                    struct cpool_utf8 *ret_name, struct cpool_utf8 *ret_desc);
/** Whether the file has a Methodref with this class and name, and any descriptor. */
bool cpool_names_method(const struct cpool *p, struct cpool_utf8 class_name,
                        struct cpool_utf8 name);
/** Whether a Float or Double entry is a NaN. */
bool cpool_has_nan(const struct cpool *p);
bool cpool_utf8_equals(struct cpool_utf8 a, struct cpool_utf8 b);
bool cpool_utf8_is(struct cpool_utf8 u, const char *text);
int cpool_utf8_starts(struct cpool_utf8 u, const char *text);

/* Each of the functions below adds an entry at the end. It returns the new index; 0: the pool is
 * full (CPOOL_MAX is the largest count) or there is no memory. An added entry that nothing uses is
 * legal. */
uint16_t cpool_add_utf8(struct cpool *p, const char *bytes, size_t len);
uint16_t cpool_add_integer(struct cpool *p, int32_t value);
uint16_t cpool_add_methodref(struct cpool *p, uint16_t class_index, const char *name,
                             const char *desc);
/** The index of the Class entry with this name: an existing entry, or a new one. */
uint16_t cpool_add_class(struct cpool *p, const char *name, size_t len);
