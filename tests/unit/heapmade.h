/*
 * heapmade.h - writes small heap dumps of known graphs, for tests of the reader.
 *
 * Made from docs/format/hprof-binary.md and not from the code of any writer. The ids of objects are
 * chosen by the caller.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct graph;

/** Ids of the classes that every dump has. */
enum {
    HEAPMADE_OBJECT = 0x1000, /* java.lang.Object */
    HEAPMADE_CLASS = 0x1100,
    HEAPMADE_STRING = 0x1200,
    HEAPMADE_REFERENCE = 0x1300, /* java.lang.ref.Reference, with the field referent */
    HEAPMADE_NODE = 0x1400,      /* a.Node: two references and an int */
    HEAPMADE_NODES = 0x1500,     /* a.Node[] */
    HEAPMADE_THREAD = 0x1600,    /* java.lang.Thread */
    HEAPMADE_LARGE = 0x1700,     /* a.Large extends a.Node: a long more */
};

enum { HEAPMADE_PATH = 64 };

/** A dump that is being written. */
struct heapmade {
    FILE *to;
    unsigned id_bytes;
    bool has_segments;
    char *body; /* the records of objects that wait, and their size */
    size_t body_bytes;
    FILE *memory;
    uint64_t next_name;
    uint64_t records;         /* top-level records of objects so far */
    char path[HEAPMADE_PATH]; /* of heapmade_open() */
};

/** A file in memory, which can be opened by the path as long as it is open. */
FILE *heapmade_file(char ret_path[HEAPMADE_PATH]);
/** Begins a dump in such a file, with the classes above, of which those of the boot loader are
 * roots. */
void heapmade_open(struct heapmade *m);
/** Ends that dump. Returns its graph with dominators. Owner: graph_close(). */
struct graph *heapmade_graph(struct heapmade *m);

/** Begins a file: head, names, and the loading of the classes above. */
void heapmade_begin(struct heapmade *m, FILE *to, unsigned id_bytes, const char *version);
/** Writes the class records; classes of the boot loader, all but a.*, are roots if `are_roots`. */
void heapmade_classes(struct heapmade *m, bool are_roots);
/** A new name. Returns its id. */
uint64_t heapmade_name(struct heapmade *m, const char *text);
/** Records of objects. `left` and `right` are ids, 0 for null. */
void heapmade_node(struct heapmade *m, uint64_t id, uint64_t left, uint64_t right);
void heapmade_reference(struct heapmade *m, uint64_t id, uint64_t referent);
void heapmade_thread(struct heapmade *m, uint64_t id, uint32_t serial);
void heapmade_array(struct heapmade *m, uint64_t id, const uint64_t *to, uint32_t count);
void heapmade_bytes(struct heapmade *m, uint64_t id, const void *bytes, uint32_t count);
void heapmade_string(struct heapmade *m, uint64_t id, uint64_t value);
/** A root of a kind without more than an id: 0x05 system class, 0xff unknown, 0x07 monitor. */
void heapmade_root(struct heapmade *m, int tag, uint64_t id);
/** A root with a thread and a frame: 0x02 JNI local, 0x8e Android's JNI monitor. */
void heapmade_root_of(struct heapmade *m, int tag, uint64_t id, uint32_t thread, uint32_t frame);
/** Android: a byte array without its elements; the heap in which the following objects are. */
void heapmade_left_out(struct heapmade *m, uint64_t id, uint32_t count);
void heapmade_heap_info(struct heapmade *m, uint32_t heap, uint64_t name);
/** A long[] in a record of its own, whose length loses its upper bits if there are many elements;
 * they are a hole in the file. */
void heapmade_hole(struct heapmade *m, uint64_t id, uint32_t count);
/** An object in a frame of a thread. */
void heapmade_local(struct heapmade *m, uint64_t id, uint32_t thread, uint32_t frame);
/** Ends a segment, so that the next object begins another one. */
void heapmade_cut(struct heapmade *m);
/** Ends the dump, and the memory of `m`. */
void heapmade_end(struct heapmade *m);
/** Begins another dump in the same file, after heapmade_end(). */
void heapmade_again(struct heapmade *m);
