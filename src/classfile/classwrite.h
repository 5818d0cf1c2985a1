/*
 * classwrite.h - writes a class file from nothing: for the tracker classes.
 *
 * A constant is not searched for: a caller that needs one twice keeps its index. The writer is
 * sticky: after the first failure it writes nothing, and classwrite_end() returns the failure. A
 * class of a version below 50 needs no StackMapTable.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/outbuf.h"

struct classwrite {
    struct outbuf pool, fields, methods;
    struct outbuf code; /* code of the method that is being written */
    uint16_t constants, field_count, method_count;
    uint16_t major, self, code_name;
};

/** Begin a class. `name` is like java/lang/String; the superclass is java.lang.Object. The memory
 * belongs to `a`. */
void classwrite_begin(struct classwrite *w, struct arena *a, const char *name, uint16_t major);
/** Returns everything written, as a class file in the arena. Errors: 0, E_LIMIT, -ENOMEM. */
int classwrite_end(struct classwrite *w, const uint8_t **ret_bytes, size_t *ret_len);

/* Each of these functions adds a constant and returns its index. */
uint16_t classwrite_utf8(struct classwrite *w, const char *text);
uint16_t classwrite_class(struct classwrite *w, const char *name);
uint16_t classwrite_long(struct classwrite *w, int64_t v);
/** Adds a Methodref; `klass` is the index of a Class constant. */
uint16_t classwrite_method_ref(struct classwrite *w, uint16_t klass, const char *name,
                               const char *desc);
uint16_t classwrite_field_ref(struct classwrite *w, uint16_t klass, const char *name,
                              const char *desc);

void classwrite_field(struct classwrite *w, uint16_t access, const char *name, const char *desc);
/** Adds a public static native method. */
void classwrite_native(struct classwrite *w, const char *name, const char *desc);
/**
 * Add a method. Its code is the contents of w->code, which is then emptied. `annotation` is the
 * type of a RuntimeVisibleAnnotation without values (Ljava/lang/Deprecated;), or NULL.
 */
void classwrite_method(struct classwrite *w, uint16_t access, const char *name, const char *desc,
                       uint16_t max_stack, uint16_t max_locals, const char *annotation);
