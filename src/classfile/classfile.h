/*
 * classfile.h - a class file, read in place.
 *
 * One pass over the file checks that everything lies where its lengths say and notes where the
 * constants and methods are; nothing is copied. Code is read by bytecode.h, method by method.
 * Versions 45 to 72 (JDK 1.0 to 28). Source: JVM specification, chapter 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "classfile/cpool.h"

enum {
    CLASSFILE_MAJOR_MIN = 45,
    CLASSFILE_MAJOR_MAX = 72,
    CLASSFILE_MAJOR_CLASSES = 49, /* the first with Class constants as values */
    CLASSFILE_MAJOR_FRAMES = 50,  /* the first that may have StackMapTable */
};

enum classfile_access {
    CLASSFILE_STATIC = 0x0008,
    CLASSFILE_SYNCHRONIZED = 0x0020,
    CLASSFILE_NATIVE = 0x0100,
    CLASSFILE_INTERFACE = 0x0200,
    CLASSFILE_ABSTRACT = 0x0400,
    CLASSFILE_SYNTHETIC = 0x1000,
};

struct classfile_method {
    uint16_t access;
    struct cpool_utf8 name, desc;
    size_t begin, end; /* of the whole method in the file */
    size_t code_at;    /* where its Code attribute begins (its name index); 0 without one */
    const uint8_t *code;
    uint32_t code_len;          /* contents of the Code attribute */
    const uint8_t *annotations; /* contents of RuntimeVisibleAnnotations, NULL without one */
    uint32_t annotations_len;
};

struct classfile {
    const uint8_t *bytes;
    size_t len;
    uint16_t minor, major;
    struct cpool pool;
    size_t pool_end; /* where the access flags of the class stand */
    uint16_t access;
    uint16_t this_index;
    struct cpool_utf8 name;  /* as the file says it: java/lang/String */
    struct cpool_utf8 super; /* empty for java/lang/Object */
    uint16_t method_count;
    struct classfile_method *methods;
    size_t methods_end; /* where the attributes of the class stand */
};

/**
 * Read `bytes`, which must outlive `ret`.
 *
 * Errors:  0; E_TRUNCATED, E_FORMAT, E_UNSUPPORTED (version or constant not known), -ENOMEM; then
 *          *ret_error_at is the offset in the file.
 * Context: any, not signal.            Owner: memory is of `a`.
 */
int classfile_read(struct classfile *ret, const void *bytes, size_t len, struct arena *a,
                   size_t *ret_error_at);
/** Whether the method is the constructor of java.lang.Object. */
bool classfile_is_object_init(const struct classfile *c, const struct classfile_method *m);
/** The SourceFile attribute of the class; empty without one. */
struct cpool_utf8 classfile_source_name(const struct classfile *c);
