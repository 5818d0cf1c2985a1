/*
 * graph.h - the graph of a heap: its objects, what refers to what, and what holds what.
 *
 * A graph is opened from a heap dump (HPROF 1.0, 1.0.1, 1.0.2, 1.0.3). Opening reads the file once
 * and keeps an index of the addresses. Dominators and retained sizes are computed by
 * graph_dominate(), which reads the file again a few times. The contents of objects are never kept:
 * fields, elements and texts are read from the file when they are asked for.
 *
 * Objects have numbers from 0 to graph_count() - 1, in the order of their addresses. A class is an
 * object too (its java.lang.Class object); besides, it has a number among the classes, from 0 to
 * graph_class_count() - 1. A dump has no records for the classes of arrays of primitives in some
 * versions; such a class has no object then.
 *
 * The virtual root GRAPH_ROOT dominates all that is reachable. A root of the dump is dominated by
 * the virtual root alone. An object in a Java frame, or one that a JNI local refers to, is no root:
 * its thread refers to it, as in Eclipse MAT. The field Reference.referent keeps nothing
 * alive here, nor does Finalizer.unfinalized, unless graph_options.follows_weak is set.
 *
 * Units: sizes and offsets are in bytes. Errors: 0 or a count; negative as in base/err.h.
 * Memory: at most graph_options.memory_bytes in all. Threads: one at a time.
 * How it works: docs/heap-graph.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heap/graph_types.h"

/**
 * Opens a dump and reads it once. A packed file is unpacked into a temporary file first.
 *
 * Errors:  -errno; E_FORMAT: no heap dump; E_LIMIT: the memory is too small, or there are more
 *          objects than this build takes; E_NOT_FOUND: the file has no such dump. `ret_why` is then
 *          one line without the file's name. A damaged file is no error: see graph_facts.
 * Owner:   graph_close(). `options` is borrowed during the call, its `diag` until graph_close().
 */
int graph_open(const char *path, const struct graph_options *options, struct graph **ret_graph,
               char ret_why[GRAPH_WHY]);
void graph_close(struct graph *g);
/** The limit of memory in bytes: what the user says, or a share of what machine and cgroup have
 * left. */
uint64_t graph_memory_limit(const struct graph_options *options);
const struct graph_facts *graph_facts(const struct graph *g);

/** The number of objects, classes included. */
uint64_t graph_count(const struct graph *g);
/** The object with this id; GRAPH_NONE: there is none. Constant time. */
graph_object graph_find(const struct graph *g, uint64_t id);
/** The id of an object. Logarithmic time. */
uint64_t graph_id(const struct graph *g, graph_object object);
/** Reads what the file says of an object. Errors: 0; -errno; E_RANGE: no such number. */
int graph_look(struct graph *g, graph_object object, struct graph_info *ret_info);
/**
 * Visits all objects in the order of the file. This is much faster than graph_look() for each one.
 * The visitor may ask the graph everything but another graph_each_object() or
 * graph_each_edge_to().
 *
 * Errors: 0; -errno.
 */
int graph_each_object(struct graph *g, graph_visit_object *visit, void *with);

graph_class graph_class_count(const struct graph *g);
/** What is known of a class; `klass` < graph_class_count(). Borrowed. */
const struct graph_class_info *graph_class_at(const struct graph *g, graph_class klass);
/** The class with this name, as in graph_class_info; the first one of several loaders.
 * GRAPH_NO_CLASS: there is none. Linear time. */
graph_class graph_class_named(const struct graph *g, const char *name);
/** Whether `klass` is `ancestor` or a subclass. */
bool graph_class_is_a(const struct graph *g, graph_class klass, graph_class ancestor);

/** Visits all references of an object, weak ones included, in the order of the file; for a thread
 * then its locals. Errors: 0; -errno. */
int graph_each_edge(struct graph *g, graph_object from, graph_visit_edge *visit, void *with);
/** The same for an object that the visitor of graph_each_object() was given, which is faster. */
int graph_each_edge_of(struct graph *g, const struct graph_info *from, graph_visit_edge *visit,
                       void *with);
/**
 * Visits all references to the objects `to`, of which there are `count`, sorted. Reads the whole
 * file. Errors: 0; -errno.
 */
int graph_each_edge_to(struct graph *g, const graph_object *to, size_t count,
                       graph_visit_edge *visit, void *with);
/** Visits the values of the fields of an instance, or of the static fields of a class. Errors: 0;
 * -errno; E_UNSUPPORTED: an array. */
int graph_each_field(struct graph *g, graph_object object, graph_visit_field *visit, void *with);
/** The value of the instance field with this name, of the class that is nearest to the object's.
 * Errors: 0; E_NOT_FOUND; -errno. */
int graph_value_of(struct graph *g, graph_object object, const char *field,
                   struct graph_value *ret_value);
/** The values of `count` elements of an array, from `first` on. Errors: 0; E_RANGE; -errno. */
int graph_value_elements(struct graph *g, graph_object array, uint64_t first, size_t count,
                         struct graph_value *ret_values);
/**
 * The bytes at an offset of the dump, for example from graph_info.at on: at most
 * GRAPH_SEEN_BYTES. They stay until the next call of any function of the graph. NULL: the file has
 * fewer bytes, or reading failed.
 */
const unsigned char *graph_value_see(struct graph *g, uint64_t at, size_t bytes);
/**
 * The text of a java.lang.String as UTF-8, cut to `room` - 1 bytes at a character's end; the text
 * may contain anything. *ret_chars is the number of UTF-16 units of the whole string.
 *
 * Returns the length of the text. Errors: E_NOT_FOUND: it is no String or lacks its array; -errno.
 */
int64_t graph_text(struct graph *g, graph_object string, char *ret_text, size_t room,
                   uint64_t *ret_chars);

/** The records of roots, sorted by object. `index` < graph_facts.roots. */
const struct graph_root *graph_root_at(const struct graph *g, uint64_t index);
/** The first record of a root for this object; NULL: it is none. Others may follow it. */
const struct graph_root *graph_root_of(const struct graph *g, graph_object object);
/** A word for a kind of root, "Java frame" for example. Static. */
const char *graph_root_word(enum graph_root_kind kind);

uint32_t graph_thread_count(const struct graph *g);
/** Threads in the order of their serial numbers. `index` < graph_thread_count(). */
const struct graph_thread *graph_thread_at(const struct graph *g, uint32_t index);
/** The thread with this object; NULL: none. */
const struct graph_thread *graph_thread_of(const struct graph *g, graph_object object);
/** The name of the thread `object`, as graph_text() gives it; "" if it is unknown. */
void graph_thread_name(struct graph *g, graph_object object, char ret_name[GRAPH_THREAD_NAME]);
/** Visits the frames of a trace from the innermost on. Errors: 0; E_NOT_FOUND: no such trace. */
int graph_each_frame(struct graph *g, uint32_t trace, graph_visit_frame *visit, void *with);

/**
 * Computes the immediate dominators and retained sizes of all objects. Further calls do nothing.
 *
 * Errors:  0; -errno; E_LIMIT: the memory is too small, `ret_why` says what would do.
 */
int graph_dominate(struct graph *g, char ret_why[GRAPH_WHY]);
/** The immediate dominator of an object: GRAPH_ROOT, or an object; GRAPH_NONE: the object is not
 * reachable. After graph_dominate(). */
graph_object graph_dominator(const struct graph *g, graph_object object);
/** The retained size of an object: what would be freed with it. The one of GRAPH_ROOT is that of
 * all reachable objects; 0: the object is not reachable. After graph_dominate(). */
uint64_t graph_retained(const struct graph *g, graph_object object);
/** Whether an object is reachable from a root. After graph_dominate(). */
bool graph_is_reachable(const struct graph *g, graph_object object);
/** Visits the objects whose immediate dominator is this one, or GRAPH_ROOT, in the order of their
 * numbers. Linear time in the count of all objects. After graph_dominate(). */
void graph_each_dominated(struct graph *g, graph_object dominator, graph_visit_number *visit,
                          void *with);
/** Whether everything came from FILE.hidx, the index beside the dump. */
bool graph_is_kept(const struct graph *g);
/** How many bytes FILE.hidx will have. After graph_dominate(). */
uint64_t graph_keep_bytes(const struct graph *g);
/**
 * Writes FILE.hidx, so that further questions need not read the dump as a whole; does nothing if
 * the graph came from there. An older one is replaced when the new one is whole. After
 * graph_dominate().
 *
 * Errors: 0; E_LIMIT: it would have more than half of the dump's bytes, or the memory is too small;
 *         -errno. `ret_why` is then one line.
 */
int graph_keep_write(struct graph *g, char ret_why[GRAPH_WHY]);
/** What has failed since graph_open() beside the dump itself: 0; -errno: the temporary file;
 * E_FORMAT: FILE.hidx is damaged. What was answered since is not to be believed then. */
int graph_error(const struct graph *g);
/** The same in words that follow on the name of the dump; static text. NULL: nothing has failed. */
const char *graph_error_why(const struct graph *g);
/** One class in a histogram. */
struct graph_histo {
    uint64_t objects, shallow_bytes; /* of all objects of the dump */
    uint64_t lost, lost_bytes;       /* those of them that are not reachable */
    /* What would be freed if all its objects were, the class object included: the sum of the
     * retained sizes of those that no other object of the class dominates. */
    uint64_t retained_bytes;
    graph_object
        largest; /* the one with the largest retained size; GRAPH_NONE: none is reachable */
};
/** The histogram of all classes: `ret_rows` has a row for each class, graph_class_count() of them,
 * in the order of their numbers. Before graph_dominate() the retained sizes are 0, and so is what
 * is lost. Reads the file once. Errors: 0; -errno; E_LIMIT. */
int graph_histo(struct graph *g, struct graph_histo *ret_rows);
/** The same of groups of classes: `group_of` has a number below `groups` for each class, and
 * `ret_rows` has `groups` rows. */
int graph_histo_of(struct graph *g, const uint32_t *group_of, uint32_t groups,
                   struct graph_histo *ret_rows);

/**
 * Finds a shortest path from a root to an object, over references that keep something alive. The
 * visitor gets the edges from the root on; there are none if the object is a root itself. The first
 * edge begins at the root. Reads the file a few times. After graph_dominate().
 *
 * Errors: 0; E_NOT_FOUND: the object is not reachable; E_LIMIT; -errno.
 */
int graph_path(struct graph *g, graph_object object, graph_visit_edge *visit, void *with);
/**
 * The same for `most` roots, the nearest first: of each root from which a way leads to the object
 * that passes no other root, a shortest such path. `begin` gets the root before the edges of its
 * path. Of several passes over the file, one is for each reference of the longest way between a
 * root and the first dominator.
 */
int graph_path_all(struct graph *g, graph_object object, uint64_t most, graph_visit_number *begin,
                   graph_visit_edge *visit, void *with);
/**
 * Proves dominators and retained sizes by code that shares nothing with graph_dominate() but the
 * reader: the tree by two conditions on all references, the sizes by another way of summing. Reads
 * the file three times. After graph_dominate().
 *
 * Errors: 0: all is proven; E_FORMAT: a proof failed, `ret_why` names the object; -errno; E_LIMIT.
 */
int graph_verify(struct graph *g, char ret_why[GRAPH_WHY]);
