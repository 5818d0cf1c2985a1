/*
 * heap_class.h - the classes of a heap: how big their objects are, where their references and
 * fields lie.
 *
 * Everything the walk of a heap asks a class, read once per class. Memory is an arena, so this
 * works in a forked child that must not touch malloc(). Source: HotSpot klass.hpp (layout helper),
 * instanceKlass.hpp, instanceMirrorKlass.hpp, instanceRefKlass.hpp, stackChunkOop.hpp. Context of
 * everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/arena.h"
#include "heapwalk/heap.h"
#include "heapwalk/heap_class_facts.h"
#include <stdbool.h>
#include <stdint.h>

/* The types of values, numbered as in HPROF files. */
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
    HEAP_STACK_CHUNK, /* the frames of a virtual thread that is not mounted */
    HEAP_OBJECT_ARRAY,
    HEAP_FLAT_ARRAY, /* whose elements are values of a value class, side by side */
    HEAP_PRIMITIVE_ARRAY,
};

/* How a java.lang.ref.Reference holds its referent. */
enum heap_strength { HEAP_STRONG, HEAP_SOFT, HEAP_WEAK, HEAP_FINAL, HEAP_PHANTOM };

struct heap_field {
    uint64_t name; /* symbol */
    uint32_t offset;
    enum heap_type type;
    bool is_nullable;        /* of a flat field */
    struct heap_class *flat; /* of the value that lies in the field itself; NULL none does */
};

struct heap_oops { /* a run of references in every object of the class */
    uint32_t offset, count;
};

/** Of the class of an array. */
struct heap_class_array {
    uint32_t header_bytes; /* 0: the class is none of arrays */
    uint32_t element_shift;
    enum heap_type element_type; /* of a primitive array */
    struct heap_class *element;  /* of an object array, or of an array of flat values */
    bool is_nullable;            /* of an array of flat values */
    struct heap_class *listed;   /* of an array of flat values: what Java sees as its class */
};

/**
 * Of a value class (JDK 28, --enable-preview), whose objects may lie flat in a field or an element:
 * then they have no header. All offsets are those in an object of its own.
 */
struct heap_class_value {
    uint32_t payload; /* where the fields begin; 0: the class is no value class */
    uint32_t marker;  /* of a byte that is 0 where a flat value is null */
};

/** Of a class of references. */
struct heap_class_ref {
    enum heap_strength strength;
    uint32_t referent, discovered; /* offsets in a Reference; 0 none */
};

struct heap_class {
    uint64_t klass, mirror, name; /* addresses; name is a symbol */
    struct heap_class *super;     /* NULL none */
    struct heap_class *next;      /* in the order in which they were met */
    enum heap_kind kind;
    struct heap_class_array array;
    struct heap_class_ref ref;
    struct heap_class_value value;
    uint32_t bytes; /* of an instance without what varies */
    uint32_t run_count, field_count, static_count;
    struct heap_oops *runs;
    struct heap_field *fields, *statics; /* its own */
    uint64_t resolved;                   /* address of its array of resolved constants; 0 none */
    bool is_filler;                      /* its objects only close gaps */
    bool is_visited;                     /* the marking's */
    void *user;                          /* the owner's */
};

struct heap_class_slot {
    uint64_t klass; /* 0: free */
    struct heap_class *class;
};

struct heap_classes {
    const struct heap *heap;
    struct arena *arena; /* borrowed */
    struct heap_class_slot *slots;
    uint32_t slot_count, count;
    uint32_t refined_count; /* slots beside the `count` classes' own: a second address of a class */
    struct heap_class *first, **last;
    struct heap_class *flat_arrays; /* not among those from `first` on; see array.listed */
    bool has_flat;                  /* a class was met whose objects hold flat values */
    int out_of_memory;              /* a class could not be added */
    const char *missing; /* what a heap with flat values wants and this VM does not say; or NULL */
    struct heap_class_facts facts;
    uint64_t class_klass, object_klass; /* of java.lang.Class; of java.lang.Object */
    int32_t chunk_size, chunk_flags;    /* of a StackChunk; -1 none */
};

/** Errors: 0; E_FACT_MISSING with *ret_missing (static text); -ENOMEM. */
int heap_class_init(struct heap_classes *c, const struct heap *h, struct arena *arena,
                    const char **ret_missing);

static inline uint32_t heap_class_hash(uint64_t klass)
{
    return (uint32_t)((klass >> 3) * 0x9e3779b97f4a7c15ull >> 40);
}

/** The class at this address if it has been read; NULL. */
static inline struct heap_class *heap_class_find(const struct heap_classes *c, uint64_t klass)
{
    uint32_t at = heap_class_hash(klass);
    const struct heap_class_slot *s = &c->slots[at & (c->slot_count - 1)];
    while (s->klass != klass && s->class)
        s = &c->slots[++at & (c->slot_count - 1)];
    return s->class;
}

/** The class at this address, read where it is new. NULL: no class lies there, or there is no
 * memory. */
struct heap_class *heap_class_at(struct heap_classes *c, uint64_t klass);

/** The class at the address `klass`, if that class has been read or is the collector's filler; else
 * NULL. Any number may be asked. */
struct heap_class *heap_class_known(struct heap_classes *c, uint64_t klass);

/** Whether the VM calls the class so: java/lang/String. */
bool heap_class_is_named(const struct heap_classes *c, const struct heap_class *k,
                         const char *name);
/** Offset of a field of its instances, its own or inherited; 0 none. */
uint32_t heap_class_field(const struct heap_classes *c, const struct heap_class *k,
                          const char *name);

/** Whether the object is a java.lang.Class; the caller has read that class before. */
bool heap_class_is_mirror(const struct heap_classes *c, uint64_t object);
/**
 * The class that a mirror describes; NULL for int.class and its like, and for an object that is no
 * mirror.
 */
struct heap_class *heap_class_of_mirror(struct heap_classes *c, uint64_t mirror);

/** Whether the flat value of the value class `k` that begins at `payload` is null. */
static inline bool heap_class_value_is_null(const struct heap *h, const struct heap_class *k,
                                            uint64_t payload)
{
    return *heap_bytes(h, payload + k->value.marker - k->value.payload) == 0;
}

/** Give the classes of flat arrays what hangs at the classes that Java sees. */
void heap_class_share_users(struct heap_classes *c);

/** Bytes of an object of this class, its padding included. */
uint64_t heap_class_object_bytes(const struct heap_classes *c, const struct heap_class *k,
                                 uint64_t object);
