/*
 * hprof_heap.h - writes a heap into an HPROF file, text or binary.
 *
 * Each format has one table of functions. The caller calls begin, then gives the roots, the classes
 * and the objects, and calls end. In binary the names of fields come before begin. The values of an
 * object come decoded, so the writers know nothing about any VM. Nothing here allocates memory: the
 * caller's memory is in struct hprof_heap, because the writer may be a forked child that must not
 * call malloc(). Layouts: docs/format/hprof-text.md and docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "format/heap_record.h"

struct pair_lock;
struct sink;
struct hprof_heap;

/* Types of values, with the numbers that the binary file has. */
enum hprof_heap_type {
    HPROF_OBJECT = 2,
    HPROF_BOOLEAN = 4,
    HPROF_CHAR,
    HPROF_FLOAT,
    HPROF_DOUBLE,
    HPROF_BYTE,
    HPROF_SHORT,
    HPROF_INT,
    HPROF_LONG,
};

enum hprof_root_kind {
    HPROF_ROOT_UNKNOWN = HEAP_RECORD_ROOT_UNKNOWN,
    HPROF_ROOT_JNI_GLOBAL = HEAP_RECORD_ROOT_JNI_GLOBAL,
    HPROF_ROOT_JNI_LOCAL = HEAP_RECORD_ROOT_JNI_LOCAL,
    HPROF_ROOT_JAVA_FRAME = HEAP_RECORD_ROOT_JAVA_FRAME,
    HPROF_ROOT_NATIVE_STACK = HEAP_RECORD_ROOT_NATIVE_STACK,
    HPROF_ROOT_SYSTEM_CLASS = HEAP_RECORD_ROOT_SYSTEM_CLASS,
    HPROF_ROOT_THREAD_BLOCK = HEAP_RECORD_ROOT_THREAD_BLOCK,
    HPROF_ROOT_MONITOR = HEAP_RECORD_ROOT_MONITOR,
    HPROF_ROOT_THREAD = HEAP_RECORD_ROOT_THREAD,
};

struct hprof_heap_root {
    enum hprof_root_kind kind;
    uint64_t object;
    uint64_t reference;     /* of a JNI global: its number */
    uint32_t thread, trace; /* serial numbers */
    int32_t frame;          /* depth of the frame; -1: none */
    /* A JNI reference that may belong to the agent which makes the dump. */
    bool is_own;
    const char *name; /* name of a system class; only for text */
};

struct hprof_heap_field {
    uint64_t name_id; /* id of the UTF8 record; only for binary */
    const char *name; /* only for text */
    enum hprof_heap_type type;
    /* For a static field: the bits of its value, or the id of an object. */
    uint64_t value;
};

struct hprof_heap_constant {
    uint32_t index;
    uint64_t object;
};

/** The place of a value in an instance. `offset` counts bytes from the beginning of the object. */
struct hprof_heap_value {
    uint32_t offset;
    uint16_t type;  /* enum hprof_heap_type */
    uint8_t bytes;  /* bytes in memory; 0: a reference */
    bool is_zeroed; /* the file has zeros in its place (hprof_redact.h) */
};

/** How references lie in memory. The id of the object is ((value << shift) + base) >> down. */
struct hprof_heap_refs {
    uint32_t bytes; /* bytes of a reference in memory: 4 or 8 */
    uint32_t shift, down;
    uint64_t base;
};

struct hprof_heap_class {
    uint64_t object; /* id of the class object */
    const char *name;
    struct hprof_heap_class *super; /* NULL: none */
    uint64_t loader, signers, domain;
    uint32_t serial, trace;
    /* Bytes of the values of an instance in the file, fields of superclasses included. */
    uint32_t instance_bytes;
    uint32_t field_count, static_count, constant_count;
    struct hprof_heap_field *fields, *statics; /* of this class alone, without its superclasses */
    struct hprof_heap_constant *constants;
    struct hprof_heap_value *values; /* values of an instance, in the order of the file */
    uint32_t value_count;
};

/** The parts that all records of objects have. */
struct hprof_heap_object {
    uint64_t id;
    uint64_t bytes; /* bytes in the heap; only for text */
    uint32_t trace;
    const struct hprof_heap_class *klass; /* NULL for an array of primitives */
};

struct hprof_heap_ops {
    /** A string; comes before begin. The text form does nothing. */
    void (*string)(struct hprof_heap *h, uint64_t id, const char *bytes, size_t len);
    void (*load_class)(struct hprof_heap *h, const struct hprof_heap_class *k, uint64_t name_id);
    /** `objects` and `bytes` are the totals of the dump, which the first line of the text form
     * shows. */
    void (*begin)(struct hprof_heap *h, uint64_t objects, uint64_t bytes);
    void (*root)(struct hprof_heap *h, const struct hprof_heap_root *r);
    void (*klass)(struct hprof_heap *h, const struct hprof_heap_class *k);
    /** `values` are in the order of the file: first the fields of the class, then those of its
     * superclass, ... */
    void (*instance)(struct hprof_heap *h, const struct hprof_heap_object *o,
                     const uint64_t *values);
    /** An array of objects. objects() begins it; elements() then adds all its elements in
     * pieces. */
    void (*objects)(struct hprof_heap *h, const struct hprof_heap_object *o, uint32_t count);
    void (*elements)(struct hprof_heap *h, const uint64_t *ids, uint32_t count);
    /** Like elements(), with all elements at once, as they lie in memory. NULL in the text form. */
    void (*elements_at)(struct hprof_heap *h, const unsigned char *memory, uint32_t count);
    /** An array of primitives. `bytes` are the elements as they lie in memory, little-endian;
     * NULL: zeros. */
    void (*primitives)(struct hprof_heap *h, const struct hprof_heap_object *o,
                       enum hprof_heap_type type, uint32_t count, const unsigned char *bytes);
    /** An array of primitives without its elements, as in dumps of Android. */
    void (*left_out)(struct hprof_heap *h, const struct hprof_heap_object *o,
                     enum hprof_heap_type type, uint32_t count);
    void (*end)(struct hprof_heap *h);
};

extern const struct hprof_heap_ops hprof_heap_text, hprof_heap_bin;

/** Hand the bytes in the buffer to the sink, before another struct hprof_heap writes to the same
 * sink. Only for the binary form. */
void hprof_heap_bin_flush(struct hprof_heap *h);

enum { HPROF_HEAP_CUTS = 8, HPROF_HEAP_CUT_NAME = 64 };

/** An array that had more elements than a record can hold. */
struct hprof_heap_cut {
    uint64_t object;
    uint32_t full, written; /* numbers of elements */
    /* The name of the array's class, as Java writes it; only the beginning if it is too long. */
    char name[HPROF_HEAP_CUT_NAME];
};

/** Arrays that were cut: `count` counts all, `first` has the first ones. */
struct hprof_heap_cuts {
    uint64_t count;
    struct hprof_heap_cut first[HPROF_HEAP_CUTS];
};

/** Add the arrays that another writer of the same dump has cut. */
void hprof_heap_cuts_add(struct hprof_heap_cuts *to, const struct hprof_heap_cuts *from);

/* Any class that a class file can describe fits into a segment of this size. */
enum { HPROF_HEAP_SEGMENT = 2 << 20 };

/** The state of one dump. The caller fills the first part; the writers own the rest. */
struct hprof_heap {
    const struct hprof_heap_ops *ops;
    struct sink *sink;     /* borrowed; ready before the fork */
    unsigned char *buffer; /* of the caller; only for binary */
    /* Size of `buffer`, which holds a whole segment: HPROF_HEAP_SEGMENT, less in tests. */
    size_t buffer_bytes;
    uint32_t id_bytes; /* 4 or 8 */
    /* Protects the sink if two writers write objects at the same time; NULL: there is one
     * writer. */
    struct pair_lock *lock;
    bool has_segments;           /* version 1.0.2 of the binary form */
    struct hprof_heap_refs refs; /* how references lie in memory */
    int64_t created_ms;          /* the time in the file's header */
    /* Only for text: the date and a newline. It is made before a fork, because it needs the time
     * zone. */
    char date[64];
    /* The following fields belong to the writers. */
    size_t used; /* bytes used in the buffer */
    /* Version 1.0.1: where the sink has the length of the HEAP DUMP record. */
    uint64_t record_at;
    uint64_t element_index; /* text: index of the next element */
    uint64_t left_open;     /* binary: elements that are still to come */
    bool record_is_open;    /* an object that is longer than the buffer is being written */
    struct hprof_heap_cuts cuts;
    int error;
};

/**
 * Writes the root of the thread `unknown`. This is the serial number that roots name when their
 * thread has none. It is the first of all roots and only in the text form, like in the original
 * agent. Its object is 0, which readers of the binary form do not accept.
 */
void hprof_heap_root_of_unknown(struct hprof_heap *h, uint32_t unknown, uint32_t trace);
/**
 * Writes one root. If the root is a thread, the root of the thread's stack follows. In the binary
 * form a root of the thread `unknown` becomes a root of unknown kind, because readers look up every
 * thread that a root names.
 */
void hprof_heap_root(struct hprof_heap *h, const struct hprof_heap_root *r, uint32_t unknown);

/** The id of the object to which the reference at `at` refers; 0 for null. */
static inline uint64_t hprof_heap_ref(const struct hprof_heap_refs *r, const unsigned char *at)
{
    uint64_t value = 0;
    if (r->bytes == 4) {
        uint32_t narrow;
        memcpy(&narrow, at, sizeof(narrow));
        value = narrow;
    } else {
        memcpy(&value, at, sizeof(value));
    }
    return value == 0 ? 0 : ((value << r->shift) + r->base) >> r->down;
}

/** Bytes of a value of this type in the file. */
static inline uint32_t hprof_heap_size(enum hprof_heap_type type, uint32_t id_bytes)
{
    static const unsigned char sizes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    return type == HPROF_OBJECT ? id_bytes : sizes[type];
}
