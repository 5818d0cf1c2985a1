/*
 * graph_parts.h - what a graph is made of, for the files of this folder alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/addrmap.h"
#include "heap/bitrank.h"
#include "heap/dumpscan.h"
#include "heap/graph_types.h"
#include "heap/heapclass.h"
#include "heap/heapnode.h"
#include "heap/heaptable.h"

enum {
    GRAPH_BLOCK_OBJECTS = 64,
    GRAPH_LOOK_WINDOW = 32 * 1024,
    GRAPH_UNIT = 8, /* bytes; all shallow sizes are multiples */
    GRAPH_SHALLOW_LARGE = 255,
};

/** Objects that lie one behind the other in the file, with ascending ids. */
struct graph_block {
    uint64_t first; /* id of the first object */
    uint64_t reach; /* the highest id of this block and of all before it, after sealing */
    uint64_t at;    /* where the record of the first object is */
};

/** A record of a root, before objects have numbers. */
struct graph_raw_root {
    uint64_t id;
    uint32_t thread, frame;
    enum graph_root_kind kind;
};

/** A number of an object that is too large for a byte: its shallow size in units, for example. */
struct graph_large {
    uint64_t value;
    heapnode object;
};

/** What graph_dominate() finds. */
struct graph_dominance {
    bool is_known;
    struct heaptable dom;       /* by object: the immediate dominator */
    struct heaptable shallow;   /* by object, a byte: units, or GRAPH_SHALLOW_LARGE */
    struct heaproom_list large; /* struct graph_large, sorted by object */
    /* The objects that dominate another one, and by their ranks what they retain in units, in 32
     * bits if the sum of all fits; all other objects retain themselves. */
    struct bitrank holders;
    struct heaptable sums;
};

/** FILE.hidx, if its tables are used: they are read from it, page by page. */
struct graph_kept {
    bool is_used;
    struct heaptable_store store;
    uint64_t *checks, pages;
};

struct graph {
    struct graph_options options;
    char *path;
    struct heaproom room;
    struct heapinput input;
    struct heapwindow scan, look; /* for walks over all objects, and for single ones */
    struct dumpscan_head head;
    struct heaproom_list extents; /* struct dumpscan_extent, of the chosen dump */
    struct dumpnames names;
    struct addrmap map;
    struct heapclass classes;
    struct heaproom_list blocks;             /* struct graph_block */
    struct heaproom_list raw_roots, threads; /* struct graph_raw_root, struct graph_thread */
    struct graph_root *roots;                /* sorted by object */
    uint64_t root_rows;                      /* rows for which `roots` has room */
    struct graph_facts facts;
    struct heaptable_store store;
    struct graph_dominance d;
    struct graph_kept kept;
};

/** Reads the file once: names, classes, roots, the addresses and places of objects. Errors: as
 * graph_open(). */
int graph_index_read(struct graph *g, char ret_why[GRAPH_WHY]);
/** Reads what is around the objects, through a window: head, names, and where the objects of the
 * chosen dump are. Errors: as graph_open(). */
int graph_index_records(struct graph *g, struct heapwindow *w, char ret_why[GRAPH_WHY]);
/** Gives back what graph_index_read() or graph_keep_load() found. */
void graph_index_forget(struct graph *g);
/** Takes everything from FILE.hidx. Returns whether it could: there is one, and it is of this
 * dump. */
bool graph_keep_load(struct graph *g);
/** Gives back what graph_keep_load() found. */
void graph_keep_forget(struct graph *g);
/** A walk over all objects of the dump, through g->scan. */
struct dumpscan graph_index_scan(struct graph *g);
/** Sorts roots and threads when objects have numbers. Errors: E_LIMIT. */
int graph_root_seal(struct graph *g);
/** Whether a root makes its object a child of the virtual root; otherwise its thread refers to
 * it. */
bool graph_root_is_own(const struct graph_root *root);
/** What the record on which a scan stands says of its object. `number` is that of the object. */
void graph_look_record(struct graph *g, const struct dumpscan *s, graph_object number,
                       struct graph_info *ret_info);
/** Whether a tag is that of an object which is no class. */
static inline bool graph_look_is_object(int tag)
{
    return tag == HEAP_RECORD_INSTANCE || tag == HEAP_RECORD_OBJECTS ||
           tag == HEAP_RECORD_PRIMITIVES || tag == HEAP_RECORD_PRIMITIVES_LEFT_OUT;
}

/** The class of the object of the record on which a walk stands; GRAPH_NO_CLASS: unknown. */
static inline graph_class graph_look_class(struct graph *g, const struct dumpscan *s)
{
    switch (s->tag) {
    case HEAP_RECORD_CLASS:
        return g->classes.java_lang_class;
    case HEAP_RECORD_INSTANCE:
    case HEAP_RECORD_OBJECTS:
        return heapclass_look(&g->classes, s->r.klass);
    default:
        return s->r.type < HEAPCLASS_TYPES ? g->classes.of_type[s->r.type] : GRAPH_NO_CLASS;
    }
}

/** A value of a type at an offset of the file. Returns whether it is there. */
bool graph_each_value(struct graph *g, struct heapwindow *w, uint64_t at, enum graph_type type,
                      struct graph_value *ret_value);
/** Begins a walk at an offset of the file, within that part of the chosen dump in which the offset
 * lies. Returns whether it lies in one. */
bool graph_look_at(struct graph *g, uint64_t at, struct dumpscan *ret_scan);
/** Says in `why` that the memory is too small, or what is wrong with the temporary file. Returns
 * `error`. */
int graph_index_lacks(const struct graph *g, int error, char why[GRAPH_WHY]);
/** The shallow size of an object in units. After graph_dominate(). */
uint64_t graph_dominate_units(const struct graph *g, graph_object object);
/** Makes the table of dominators one that may be changed for a while. Errors: E_LIMIT, -errno. */
int graph_dominate_own(struct graph *g);
/** Gives back what graph_dominate() found. */
void graph_dominate_forget(struct graph *g);
