/*
 * classwrite.h - a class file made from nothing: for the trackers.
 *
 * Constants are not looked up again: who uses one twice keeps its index. Sticky: after the first
 * failure nothing is written, and classwrite_end() says so. Classes of a version below 50 need no
 * StackMapTable.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/outbuf.h"

struct classwrite {
    struct outbuf pool, fields, methods;
    struct outbuf code; /* of the method that is being written */
    uint16_t constants, field_count, method_count;
    uint16_t major, self, code_name;
};

/** `name` as in java/lang/String; the superclass is java.lang.Object. Memory is of `a`. */
void classwrite_begin(struct classwrite *w, struct arena *a, const char *name, uint16_t major);
/** Everything written, as a class file of `a`. Errors: 0, E_LIMIT, -ENOMEM. */
int classwrite_end(struct classwrite *w, const uint8_t **ret_bytes, size_t *ret_len);

/* Each adds a constant, and returns its index. */
uint16_t classwrite_utf8(struct classwrite *w, const char *text);
uint16_t classwrite_class(struct classwrite *w, const char *name);
uint16_t classwrite_long(struct classwrite *w, int64_t v);
/** A Methodref; `klass` is the index of a Class constant. */
uint16_t classwrite_method_ref(struct classwrite *w, uint16_t klass, const char *name,
                               const char *desc);
uint16_t classwrite_field_ref(struct classwrite *w, uint16_t klass, const char *name,
                              const char *desc);

void classwrite_field(struct classwrite *w, uint16_t access, const char *name, const char *desc);
/** A public static method without code. */
void classwrite_native(struct classwrite *w, const char *name, const char *desc);
/**
 * Add a method; its code is what w->code has now, which is emptied. `annotation` is the type of a
 * RuntimeVisibleAnnotation without values (Ljava/lang/Deprecated;), or NULL.
 */
void classwrite_method(struct classwrite *w, uint16_t access, const char *name, const char *desc,
                       uint16_t max_stack, uint16_t max_locals, const char *annotation);
