/*
 * classfile.h - reads a class file in place.
 *
 * One pass over the file checks that all lengths fit, and notes where the constants and the methods
 * are. Nothing is copied. bytecode.h reads the code of each method. Versions 45 to 72 (JDK 1.0 to
 * 28) are read.
 * Source: JVM specification, chapter 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "classfile/cpool.h"

enum {
    CLASSFILE_MAJOR_MIN = 45,
    CLASSFILE_MAJOR_MAX = 72,
    /* the first version in which ldc may load a Class constant */
    CLASSFILE_MAJOR_CLASSES = 49,
    /* the first version that may have StackMapTable */
    CLASSFILE_MAJOR_FRAMES = 50,
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
    size_t begin, end; /* offsets in the file */
    /* offset of its Code attribute (of the name index); 0: the method has none */
    size_t code_at;
    const uint8_t *code;
    uint32_t code_len;          /* contents of the Code attribute */
    const uint8_t *annotations; /* contents of RuntimeVisibleAnnotations; NULL: none */
    uint32_t annotations_len;
};

struct classfile {
    const uint8_t *bytes;
    size_t len;
    uint16_t minor, major;
    struct cpool pool;
    size_t pool_end; /* offset of the access flags of the class */
    uint16_t access;
    uint16_t this_index;
    struct cpool_utf8 name;  /* as in the file: java/lang/String */
    struct cpool_utf8 super; /* empty for java/lang/Object */
    uint16_t method_count;
    struct classfile_method *methods;
    size_t methods_end; /* offset of the attributes of the class */
};

/**
 * Read a class file. `bytes` must outlive `ret`.
 *
 * Errors:  0; E_TRUNCATED, E_FORMAT, E_UNSUPPORTED (unknown version or constant), -ENOMEM. After an
 *          error *ret_error_at is the offset in the file.
 * Context: any, not signal.            Owner: the memory belongs to `a`.
 */
int classfile_read(struct classfile *ret, const void *bytes, size_t len, struct arena *a,
                   size_t *ret_error_at);
/** Whether the method is the constructor of java.lang.Object. */
bool classfile_is_object_init(const struct classfile *c, const struct classfile_method *m);
/**
 * The contents of the class's SourceFile attribute, for example "Main.java"; empty: it has none.
 */
struct cpool_utf8 classfile_source_name(const struct classfile *c);

/** One attribute of a class, field, method or Code attribute. Source: JVM specification, section
 * 4.7. */
struct classfile_attribute {
    struct cpool_utf8 name;
    const uint8_t *bytes; /* the contents, which begin after the length */
    uint32_t len;
    size_t begin; /* offset of its name index in the reader */
};

/** Read the next attribute; the reader then stands behind it. Errors: those of `r`. */
int classfile_next_attribute(struct rd *r, const struct cpool *p, struct classfile_attribute *ret);
/** Read attributes_count and skip all attributes. Errors: those of `r`. */
int classfile_skip_attributes(struct rd *r, const struct cpool *p);
