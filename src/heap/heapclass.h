/*
 * heapclass.h - the classes of a dump: fields, layout of instances, sizes.
 *
 * A class gets its row when its record or the first object of it is met, so records may come in any
 * order. When all records were met, heapclass_seal() finds out what follows from all of them:
 * names, the places of references in instances, and sizes. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/dumpnames.h"
#include "heap/graph_types.h"
#include "heap/heapnode.h"

struct addrmap;

enum {
    HEAPCLASS_TYPES = 12,
    HEAPCLASS_CACHE = 4096,
    HEAPCLASS_WEAK = 1 << 0, /* flags of heapclass_ref */
};

/** A field as the record has it. */
struct heapclass_field {
    uint64_t name; /* id */
    uint8_t type;
};

/** A reference in an instance: its place among the values. */
struct heapclass_ref {
    uint32_t offset, flags;
};

/** What a class record refers to, as ids. */
struct heapclass_ids {
    uint64_t super, loader, signers, domain;
};

/** What a class has itself, without its superclasses. */
struct heapclass_own {
    uint64_t first_field, first_static; /* places in `fields` */
    uint32_t field_count, static_count;
    uint32_t refs;        /* fields of instances that are references */
    uint32_t plain_bytes; /* of the other ones */
};

struct heapclass_row {
    uint64_t id;
    struct heapclass_ids ids;
    uint64_t body_at, body_bytes; /* the items in the file; 0: no record */
    uint64_t objects;             /* instances, or arrays */
    uint64_t elements;            /* of all arrays */
    uint64_t least_gap;           /* from an instance to the next object */
    struct heapclass_own own;
    uint64_t first_ref; /* place in `refs` */
    uint32_t ref_count;
    uint32_t trace;
    heapnode object; /* HEAPNODE_NONE: none */
    bool has_record, has_refs, is_array;
};

struct heapclass {
    struct heaproom *room;
    struct dumpnames *names;
    struct heapwindow *window; /* for texts */
    unsigned id_bytes;
    struct heaproom_list rows, fields, refs;
    uint32_t *slots; /* hash table of ids: place + 1, or 0 */
    uint64_t slot_count;
    struct {
        uint64_t id;
        graph_class klass;
    } cache[HEAPCLASS_CACHE];
    graph_class of_type[HEAPCLASS_TYPES]; /* after sealing: the class of arrays of a type */
    graph_class java_lang_class, java_lang_string;
    struct graph_class_info *infos; /* after sealing */
    struct graph_field *shown;      /* after sealing: `fields` with names */
    uint64_t info_count, shown_count;
};

void heapclass_init(struct heapclass *c, struct heaproom *room, struct dumpnames *names,
                    struct heapwindow *window, unsigned id_bytes);
void heapclass_done(struct heapclass *c);
/** The class with this id, which gets a row if it has none. GRAPH_NO_CLASS: no memory. */
graph_class heapclass_of(struct heapclass *c, uint64_t id);
/** The class with this id; GRAPH_NO_CLASS: none. */
graph_class heapclass_find(const struct heapclass *c, uint64_t id);
/** Keeps the class record on which the scan stands. Errors: 0; E_LIMIT. */
int heapclass_take(struct heapclass *c, struct dumpscan *s);
/** Names all classes and links them; `map` is sealed. Errors: 0; E_LIMIT. */
int heapclass_seal(struct heapclass *c, const struct addrmap *map);
/** Computes the sizes of instances for a layout. After heapclass_seal(). */
void heapclass_measure(struct heapclass *c, const struct graph_layout *layout,
                       enum graph_sizes sizes);
/** The shallow size of an array. */
uint64_t heapclass_array_bytes(const struct graph_layout *layout, enum graph_sizes sizes,
                               unsigned type, uint64_t count);
/** The shallow size of a class object. */
uint64_t heapclass_object_bytes(const struct heapclass *c, graph_class self,
                                const struct graph_layout *layout, enum graph_sizes sizes);
/** The references in an instance of a class, in the order of the values; *ret_count of them. The
 * first call for a class computes them. NULL and *ret_count > 0: no memory. */
const struct heapclass_ref *heapclass_refs(struct heapclass *c, graph_class klass,
                                           uint32_t *ret_count);

static inline struct heapclass_row *heapclass_row(const struct heapclass *c, graph_class klass)
{
    return (struct heapclass_row *)(void *)c->rows.at + klass;
}

/** Like heapclass_find(), fast for the classes that objects name. */
static inline graph_class heapclass_look(struct heapclass *c, uint64_t id)
{
    uint64_t at = (id >> 3 ^ id >> 15) % HEAPCLASS_CACHE;
    if (c->cache[at].id == id && id != 0)
        return c->cache[at].klass;
    graph_class klass = heapclass_find(c, id);
    if (klass != GRAPH_NO_CLASS) {
        c->cache[at].id = id;
        c->cache[at].klass = klass;
    }
    return klass;
}
