/*
 * heap_class.h - the classes of a heap: the size of their objects, and where references and fields
 * lie.
 *
 * This is everything that the walk of a heap needs to know about a class, read once for each class.
 * The memory is an arena, so this works in a forked child that must not use malloc().
 * Source: HotSpot klass.hpp (layout helper), instanceKlass.hpp, instanceMirrorKlass.hpp,
 * instanceRefKlass.hpp, stackChunkOop.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/arena.h"
#include "heapwalk/heap.h"
#include <stdbool.h>
#include <stdint.h>

/* The types of values, with the numbers of HPROF files. */
enum heap_type {
    HEAP_OBJECT = 2,
    HEAP_BOOLEAN = 4,
    HEAP_CHAR,
    HEAP_FLOAT,
    HEAP_DOUBLE,
    HEAP_BYTE,
    HEAP_SHORT,
    HEAP_INT,
    HEAP_LONG,
};

enum heap_kind {
    HEAP_INSTANCE,
    HEAP_MIRROR,      /* java.lang.Class */
    HEAP_STACK_CHUNK, /* the frames of an unmounted virtual thread */
    HEAP_OBJECT_ARRAY,
    HEAP_FLAT_ARRAY, /* its elements are values of a value class, side by side */
    HEAP_PRIMITIVE_ARRAY,
};

/* How a java.lang.ref.Reference holds its referent. */
enum heap_strength { HEAP_STRONG, HEAP_SOFT, HEAP_WEAK, HEAP_FINAL, HEAP_PHANTOM };

struct heap_field {
    uint64_t name; /* address of the Symbol */
    uint32_t offset;
    enum heap_type type;
    bool is_nullable;        /* a flat field: it may hold null */
    struct heap_class *flat; /* class of the value that lies in the field itself; NULL: not flat */
};

/* A run of references that lies in every object of the class. */
struct heap_oops {
    uint32_t offset, count;
};

/** Additional facts about the class of an array. */
struct heap_class_array {
    uint32_t header_bytes; /* 0: the class is no class of arrays */
    uint32_t element_shift;
    enum heap_type element_type; /* primitive arrays */
    struct heap_class *element;  /* object arrays and flat arrays: class of the elements */
    bool is_nullable;            /* flat arrays: an element may be null */
    struct heap_class *listed;   /* flat arrays: the class that Java sees */
};

/**
 * Additional facts about a value class (JDK 28, --enable-preview). Its objects may lie flat in a
 * field or in an element of an array; a flat object has no header. All offsets here are offsets in
 * an object with a header.
 */
struct heap_class_value {
    uint32_t payload; /* where the fields begin; 0: the class is no value class */
    uint32_t marker;  /* where the byte lies that is 0 if a flat value is null */
};

/** Additional facts about a subclass of java.lang.ref.Reference. */
struct heap_class_ref {
    enum heap_strength strength;
    uint32_t referent, discovered; /* offsets in a Reference; 0: none */
};

struct heap_class {
    uint64_t klass, mirror, name; /* addresses; `name` is a Symbol */
    struct heap_class *super;     /* NULL: none */
    struct heap_class *next;      /* next in the order in which the classes were met */
    enum heap_kind kind;
    struct heap_class_array array;
    struct heap_class_ref ref;
    struct heap_class_value value;
    uint32_t bytes; /* size of an instance; for kinds of variable size only the fixed part */
    uint32_t run_count, field_count, static_count;
    struct heap_oops *runs;
    struct heap_field *fields, *statics; /* those that the class itself declares */
    uint64_t resolved;                   /* address of its array of resolved constants; 0: none */
    bool is_filler;                      /* its objects only fill gaps between other objects */
    bool is_visited;                     /* heap_mark has visited the class */
    void *user;                          /* for the owner of the table */
};

/**
 * Offsets for value classes, since JDK 28; -1: not in this release. An InstanceKlass has an array
 * with a row of `row_bytes` for each field; for a flat field the row has the class of the value. A
 * value class has a pointer to a struct, `part`; `part` says where the fields begin in an object,
 * and where the byte lies that is 0 for null.
 */
struct heap_class_value_facts {
    /* the kind is one byte; flat_kind and value_kind are its values */
    int32_t klass_kind, flat_kind, value_kind;
    int32_t klass_rows, rows_data, row_klass, klass_part, part_payload, part_marker;
    uint32_t row_bytes;
};

/** Offsets in the VM's structs; -1: not in this release. */
struct heap_class_facts {
    int32_t layout_helper, klass_vtable, klass_itable, klass_oop_map, klass_reference,
        element_klass;
    int32_t pool_cache, cache_resolved, pool_resolved;
    int32_t klass_loader_data, data_loader, data_holder;
    uint32_t instance_klass_bytes;
    int32_t mirror_klass, mirror_size, mirror_array; /* offsets in a mirror */
    struct heap_class_value_facts values;
};

struct heap_class_slot {
    uint64_t klass; /* `class` NULL: the slot is free */
    struct heap_class *class;
};

struct heap_classes {
    const struct heap *heap;
    struct arena *arena; /* borrowed */
    struct heap_class_slot *slots;
    uint32_t slot_count, count;
    /* slots that hold a second address of a class, in addition to `count` slots */
    uint32_t refined_count;
    struct heap_class *first, **last;
    /* classes of flat arrays; they are not in the list `first`; see array.listed */
    struct heap_class *flat_arrays;
    bool has_flat; /* a class was met whose objects contain flat values */
    /* set by the owner: only classes that are in the table are classes, and classes that these lead
     * to, as arrays to their fillers; a header that names another class is none */
    bool is_closed;
    uint32_t depth;    /* of the classes that are being read, each for the one before it */
    int out_of_memory; /* a class could not be added for lack of memory */
    /* name of a fact that flat values need and this VM does not tell; NULL: none is missing */
    const char *missing;
    struct heap_class_facts facts;
    uint64_t class_klass, object_klass; /* the Klasses of java.lang.Class and of java.lang.Object */
    int32_t chunk_size, chunk_flags;    /* offsets in a StackChunk; -1: none */
};

/** Errors: 0; E_FACT_MISSING with *ret_missing (static text); -ENOMEM. */
int heap_class_init(struct heap_classes *c, const struct heap *h, struct arena *arena,
                    const char **ret_missing);

static inline uint32_t heap_class_hash(uint64_t klass)
{
    return (uint32_t)((klass >> 3) * 0x9e3779b97f4a7c15ull >> 40);
}

/** The class with this Klass address, if it has been read; otherwise NULL. */
static inline struct heap_class *heap_class_find(const struct heap_classes *c, uint64_t klass)
{
    uint32_t at = heap_class_hash(klass);
    const struct heap_class_slot *s = &c->slots[at & (c->slot_count - 1)];
    while (s->klass != klass && s->class)
        s = &c->slots[++at & (c->slot_count - 1)];
    return s->class;
}

/** The class with this Klass address; reads it if it is new. NULL: no class lies there, or there is
 * no memory. */
struct heap_class *heap_class_at(struct heap_classes *c, uint64_t klass);

/** The class with this Klass address, if it has been read or is the collector's filler class;
 * otherwise NULL. `klass` may be any number. */
struct heap_class *heap_class_known(struct heap_classes *c, uint64_t klass);

/** Whether the class has this name in the VM's form, for example java/lang/String. */
bool heap_class_is_named(const struct heap_classes *c, const struct heap_class *k,
                         const char *name);
/** The offset of an instance field, declared or inherited; 0: there is none. */
uint32_t heap_class_field(const struct heap_classes *c, const struct heap_class *k,
                          const char *name);

/** Whether the object is a java.lang.Class. The class java.lang.Class must have been read. */
bool heap_class_is_mirror(const struct heap_classes *c, uint64_t object);
/**
 * The class that a mirror (a java.lang.Class object) describes. NULL: it describes a primitive type
 * like int, or `mirror` is no mirror.
 */
struct heap_class *heap_class_of_mirror(struct heap_classes *c, uint64_t mirror);

/** Whether the flat value that begins at `payload` is null. `k` is its value class. */
static inline bool heap_class_value_is_null(const struct heap *h, const struct heap_class *k,
                                            uint64_t payload)
{
    return *heap_bytes(h, payload + k->value.marker - k->value.payload) == 0;
}

/** Copy the field `user` of the classes that Java sees to their classes of flat arrays. */
void heap_class_share_users(struct heap_classes *c);

/** The bytes of a value of this type in the heap. */
static inline uint32_t heap_class_value_bytes(const struct heap *h, enum heap_type type)
{
    static const unsigned char sizes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    return type == HEAP_OBJECT ? h->reference_bytes : sizes[type];
}

/** Whether a static field lies within the mirror that holds its value. */
bool heap_class_holds_static(const struct heap_classes *c, uint64_t mirror,
                             const struct heap_field *field);

/** The size of an object of this class in bytes, including padding. */
uint64_t heap_class_object_bytes(const struct heap_classes *c, const struct heap_class *k,
                                 uint64_t object);
