/*
 * hprof_heap.h - what is said while a heap is written into an HPROF file, text or binary.
 *
 * One table of functions per format. The order is: begin, roots, classes, objects, end; in binary
 * the names of fields come before begin. Objects come with their values decoded, so the writers
 * know nothing of any VM. Nothing here allocates: the memory is the caller's and lies in struct
 * hprof_heap, because the writer may be a forked child that must not touch malloc().
 * Layouts: docs/format/hprof-text.md and docs/format/hprof-binary.md.
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

/* Types of values, as in the file. */
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
    HPROF_ROOT_SYSTEM_CLASS = HEAP_RECORD_ROOT_SYSTEM_CLASS,
    HPROF_ROOT_THREAD_BLOCK = HEAP_RECORD_ROOT_THREAD_BLOCK,
    HPROF_ROOT_MONITOR = HEAP_RECORD_ROOT_MONITOR,
    HPROF_ROOT_THREAD = HEAP_RECORD_ROOT_THREAD,
};

struct hprof_heap_root {
    enum hprof_root_kind kind;
    uint64_t object;
    uint64_t reference;     /* JNI global: its number */
    uint32_t thread, trace; /* serials */
    int32_t frame;          /* depth; -1 none */
    bool is_own;            /* JNI: whoever makes the dump may have made the reference */
    const char *name;       /* of a system class, for text */
};

struct hprof_heap_field {
    uint64_t name_id; /* the UTF8 record's, for binary */
    const char *name; /* for text */
    enum hprof_heap_type type;
    uint64_t value; /* of a static field: the bits of the value, or an object's id */
};

struct hprof_heap_constant {
    uint32_t index;
    uint64_t object;
};

/** Where a value of an instance lies: bytes from the beginning of the object. */
struct hprof_heap_value {
    uint32_t offset;
    uint16_t type;  /* enum hprof_heap_type */
    uint16_t bytes; /* in memory; 0 a reference */
};

/** How references lie in memory, and which ids they are: ((value << shift) + base) >> down. */
struct hprof_heap_refs {
    uint32_t bytes; /* 4 or 8 */
    uint32_t shift, down;
    uint64_t base;
};

struct hprof_heap_class {
    uint64_t object; /* its id */
    const char *name;
    struct hprof_heap_class *super; /* NULL none */
    uint64_t loader, signers, domain;
    uint32_t serial, trace;
    uint32_t instance_bytes; /* of the values of an instance in the file, superclasses included */
    uint32_t field_count, static_count, constant_count;
    struct hprof_heap_field *fields, *statics; /* declared by this class */
    struct hprof_heap_constant *constants;
    struct hprof_heap_value *values; /* of an instance, in the order of the file */
    uint32_t value_count;
};

/** What the object records have in common. */
struct hprof_heap_object {
    uint64_t id;
    uint64_t bytes; /* in the heap; for text */
    uint32_t trace;
    const struct hprof_heap_class *klass; /* of a primitive array: NULL */
};

struct hprof_heap_ops {
    /** A string, before begin. Binary only; text does nothing. */
    void (*string)(struct hprof_heap *h, uint64_t id, const char *bytes, size_t len);
    void (*load_class)(struct hprof_heap *h, const struct hprof_heap_class *k, uint64_t name_id);
    /** `objects` and `bytes` are what will come; for the first line of the text. */
    void (*begin)(struct hprof_heap *h, uint64_t objects, uint64_t bytes);
    void (*root)(struct hprof_heap *h, const struct hprof_heap_root *r);
    void (*klass)(struct hprof_heap *h, const struct hprof_heap_class *k);
    /** `values` in the order of the file: the class's own fields, then its superclass's, ... */
    void (*instance)(struct hprof_heap *h, const struct hprof_heap_object *o,
                     const uint64_t *values);
    /** An array of objects: its head, then all its elements in pieces. */
    void (*objects)(struct hprof_heap *h, const struct hprof_heap_object *o, uint32_t count);
    void (*elements)(struct hprof_heap *h, const uint64_t *ids, uint32_t count);
    /** All elements at once, as they lie in memory. NULL in text. */
    void (*elements_at)(struct hprof_heap *h, const unsigned char *memory, uint32_t count);
    /** An array of primitives; `bytes` little-endian as they lie in memory. */
    void (*primitives)(struct hprof_heap *h, const struct hprof_heap_object *o,
                       enum hprof_heap_type type, uint32_t count, const unsigned char *bytes);
    void (*end)(struct hprof_heap *h);
};

extern const struct hprof_heap_ops hprof_heap_text, hprof_heap_bin;

/** Hand over what is in the buffer, before another one goes on with the same sink. Binary. */
void hprof_heap_bin_flush(struct hprof_heap *h);

enum { HPROF_HEAP_CUTS = 8, HPROF_HEAP_CUT_NAME = 64 };

/** An array that is longer than a record can be. */
struct hprof_heap_cut {
    uint64_t object;
    uint32_t full, written;         /* elements */
    char name[HPROF_HEAP_CUT_NAME]; /* of its class, as Java writes it; its begin where too long */
};

/** Arrays that were cut: all are counted, the first ones are named. */
struct hprof_heap_cuts {
    uint64_t count;
    struct hprof_heap_cut first[HPROF_HEAP_CUTS];
};

/** What another writer of the same dump has cut. */
void hprof_heap_cuts_add(struct hprof_heap_cuts *to, const struct hprof_heap_cuts *from);

/* The record of any class that a class file can describe fits. */
enum { HPROF_HEAP_SEGMENT = 2 << 20 };

/** The state of one dump. The caller fills the first part; the rest belongs to the writers. */
struct hprof_heap {
    const struct hprof_heap_ops *ops;
    struct sink *sink;           /* borrowed; prepared before a fork */
    unsigned char *buffer;       /* for binary; see buffer_bytes */
    size_t buffer_bytes;         /* as long as any segment: HPROF_HEAP_SEGMENT, less in tests */
    uint32_t id_bytes;           /* 4 or 8 */
    struct pair_lock *lock;      /* of the sink, where two write objects at once; NULL */
    bool has_segments;           /* version 1.0.2 */
    struct hprof_heap_refs refs; /* for what lies in memory */
    int64_t created_ms;          /* as in the file's header */
    char date[64]; /* for text, with its newline: the time zone is read before a fork */
    /* the writers' */
    size_t used;            /* in the buffer */
    uint64_t record_at;     /* version 1.0.1: where the record's length is, in the sink */
    uint64_t element_index; /* of the array that is being written; text */
    uint64_t left_open;     /* elements that are still to come */
    bool record_is_open;    /* an object longer than the buffer is being written */
    struct hprof_heap_cuts cuts;
    int error;
};

/**
 * The root of the thread `unknown`, which roots name whose thread has none: first of all roots, in
 * text only, as the original had it. Its object is 0, at which readers of the binary form stumble.
 */
void hprof_heap_root_of_unknown(struct hprof_heap *h, uint32_t unknown, uint32_t trace);
/**
 * One root, and behind one that is a thread the root of its stack. In binary a root of the thread
 * `unknown` becomes one of unknown kind: readers look up every thread that a root names.
 */
void hprof_heap_root(struct hprof_heap *h, const struct hprof_heap_root *r, uint32_t unknown);

/** The id of the reference that lies there; null is 0. */
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
