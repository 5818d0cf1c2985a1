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

struct diag;
struct graph;

/** The number of an object. */
typedef uint64_t graph_object;
/** The number of a class. */
typedef uint32_t graph_class;

#define GRAPH_NONE (UINT64_MAX)     /* no object: null, or an id that the dump has no record for */
#define GRAPH_ROOT (UINT64_MAX - 1) /* the virtual root, only as the dominator of an object */
#define GRAPH_NO_CLASS (UINT32_MAX)

enum { GRAPH_WHY = 512, GRAPH_THREAD_NAME = 256 };

/** How shallow sizes are computed. */
enum graph_sizes {
    GRAPH_SIZES_VM,  /* as the JVM had them, which is found by the distances of addresses */
    GRAPH_SIZES_MAT, /* Eclipse MAT's formula */
};

struct graph_options {
    uint64_t memory_bytes; /* hard limit; 0: a quarter of what machine and cgroup have left */
    const char *tmp;       /* folder for temporary files without a name; NULL: beside the input */
    uint32_t dump;         /* which dump of the file, from 1; 0: the last one */
    bool follows_weak;     /* weak, soft, phantom and final references keep their referents alive */
    bool skips_classes;    /* an object does not refer to its class */
    bool skips_index;      /* neither reads nor writes FILE.hidx */
    enum graph_sizes sizes;
    struct diag *diag; /* remarks and progress; NULL: none */
};

/** How the heap of the JVM was laid out, as far as the dump gives evidence. */
struct graph_layout {
    unsigned id_bytes;     /* of an id in the file: 4 or 8 */
    unsigned ref_bytes;    /* of a reference in the heap: 4 or 8 */
    unsigned header_bytes; /* of an instance: 8, 12 or 16 */
    unsigned array_bytes;  /* of the header of a byte array with its length: 12 to 24 */
    unsigned alignment;    /* of objects */
    bool is_guessed;       /* the dump has no evidence: a common layout was assumed */
};

/** What was wrong with the file; all 0 for a whole one. */
struct graph_damage {
    uint64_t missing_bytes;   /* that the file lacks at its end, as far as records tell */
    uint64_t unknown_records; /* sub-records that no version defines: the rest of theirs is lost */
    uint64_t unknown_at;      /* where the first of them is */
    uint64_t duplicates;      /* records of objects whose id another record has */
    uint64_t without_class;   /* objects whose class has no record */
    bool is_cut;              /* the file ends in the middle; what is whole was read */
};

/** What is known of the whole graph. */
struct graph_facts {
    char version[24];    /* "JAVA PROFILE 1.0.2" */
    uint64_t file_bytes; /* of the dump, unpacked */
    int64_t created_ms;  /* since 1970 */
    struct graph_layout layout;
    struct graph_damage damage;
    uint32_t dumps, dump; /* heap dumps in the file, and which one this is, from 1 */
    uint64_t objects, instances, object_arrays, primitive_arrays, classes;
    uint64_t bytes; /* the sum of all shallow sizes */
    uint64_t roots; /* records of roots, locals of threads included */
    /* The following fields are 0 before graph_dominate(). */
    uint64_t reachable, reachable_bytes; /* objects, and the sum of their shallow sizes */
    uint64_t memory_peak;                /* the most bytes that the graph took from the system */
};

enum graph_kind {
    GRAPH_INSTANCE,
    GRAPH_OBJECT_ARRAY,
    GRAPH_PRIMITIVE_ARRAY,
    GRAPH_CLASS, /* a java.lang.Class object of a class of the dump */
};

/** Types of fields and elements; the numbers are those of the file. */
enum graph_type {
    GRAPH_TYPE_OBJECT = 2,
    GRAPH_TYPE_BOOLEAN = 4,
    GRAPH_TYPE_CHAR,
    GRAPH_TYPE_FLOAT,
    GRAPH_TYPE_DOUBLE,
    GRAPH_TYPE_BYTE,
    GRAPH_TYPE_SHORT,
    GRAPH_TYPE_INT,
    GRAPH_TYPE_LONG,
};

/** One object. */
struct graph_info {
    graph_object number;
    uint64_t id; /* its address, or what the dump has for it */
    enum graph_kind kind;
    graph_class klass; /* its class; for GRAPH_CLASS java.lang.Class. GRAPH_NO_CLASS: unknown */
    graph_class self;  /* GRAPH_CLASS: the class that it stands for; else GRAPH_NO_CLASS */
    enum graph_type element_type; /* of an array */
    uint64_t count;               /* elements of an array */
    uint64_t shallow_bytes;
    uint32_t trace;     /* serial number of the trace of its allocation; 0: unknown */
    uint64_t at, bytes; /* where the file has its values or elements, and how many bytes */
};

/** One field of a class: of its instances, or static. */
struct graph_field {
    const char *name; /* "" if the dump has no text for it */
    enum graph_type type;
    bool is_referent; /* the field of a Reference whose object it does not keep alive */
};

/** One class. All texts are borrowed from the graph. */
struct graph_class_info {
    const char *name;         /* as Java source writes it: java.lang.String, char[], "(unknown)" */
    graph_object object;      /* GRAPH_NONE: the dump has none */
    graph_class super;        /* GRAPH_NO_CLASS: none */
    graph_object loader;      /* GRAPH_NONE: the boot loader */
    graph_class loader_class; /* GRAPH_NO_CLASS: the boot loader */
    bool is_array;
    enum graph_type element_type; /* of an array */
    uint64_t instance_bytes;      /* shallow size of an instance; 0 for arrays */
    uint32_t field_count;         /* of this class alone, without its superclasses */
    const struct graph_field *fields;
    uint32_t static_count;
    const struct graph_field *statics;
    uint32_t trace;
};

enum graph_root_kind {
    GRAPH_ROOT_UNKNOWN,
    GRAPH_ROOT_JNI_GLOBAL,
    GRAPH_ROOT_JNI_LOCAL,
    GRAPH_ROOT_JAVA_FRAME,
    GRAPH_ROOT_NATIVE_STACK,
    GRAPH_ROOT_SYSTEM_CLASS,
    GRAPH_ROOT_THREAD_BLOCK,
    GRAPH_ROOT_MONITOR,
    GRAPH_ROOT_THREAD,
    GRAPH_ROOT_INTERNED, /* this one and the rest: Android */
    GRAPH_ROOT_FINALIZING,
    GRAPH_ROOT_DEBUGGER,
    GRAPH_ROOT_REFERENCE_CLEANUP,
    GRAPH_ROOT_VM_INTERNAL,
    GRAPH_ROOT_JNI_MONITOR,
    GRAPH_ROOT_BOOT_CLASS, /* of no record: a class of the boot loader in a dump without such roots
                            */
    GRAPH_ROOT_KINDS,
};

/** One record of a root. */
struct graph_root {
    graph_object object;
    graph_object thread; /* the thread object; GRAPH_NONE: the root has no thread */
    enum graph_root_kind kind;
    uint32_t thread_serial; /* 0: none */
    uint32_t frame;         /* depth in the thread's trace; UINT32_MAX: none */
};

/** One thread. */
struct graph_thread {
    uint32_t serial, trace; /* serial numbers of the thread and of its stack */
    graph_object object;    /* GRAPH_NONE: the dump has no such object */
};

/** One frame. The texts are borrowed from the graph; "" if the dump has none. */
struct graph_frame {
    const char *class_name, *method, *signature, *source;
    int32_t line; /* > 0; -1 unknown, -2 compiled, -3 native */
};

/** Why an object refers to another one. */
enum graph_edge_kind {
    GRAPH_EDGE_FIELD,   /* `name` is the field, `index` its place; `klass` declares it */
    GRAPH_EDGE_ELEMENT, /* `index` is the element */
    GRAPH_EDGE_CLASS,   /* an object to its class */
    GRAPH_EDGE_STATIC,  /* a class to the value of a static field */
    GRAPH_EDGE_SUPER,
    GRAPH_EDGE_LOADER,
    GRAPH_EDGE_OF_CLASS, /* signers, protection domain, constant pool */
    GRAPH_EDGE_LOCAL,    /* a thread to an object in a frame: `index` is the depth, or UINT32_MAX */
};

struct graph_edge {
    graph_object from, to; /* `to` is an object of the dump, never GRAPH_NONE */
    enum graph_edge_kind kind;
    uint64_t index;
    const char *name;  /* of the field; "" for other kinds */
    graph_class klass; /* the class that declares the field; else GRAPH_NO_CLASS */
    bool is_weak;      /* the edge keeps nothing alive */
};

/** A value of a field or an element. */
struct graph_value {
    enum graph_type type;
    uint64_t bits;       /* as in the file; of a smaller type the low bits, signed ones extended */
    graph_object object; /* of a reference; GRAPH_NONE for null or an unknown id */
};

/** Visitors return whether they want more. */
typedef bool graph_visit_object(void *with, const struct graph_info *object);
typedef bool graph_visit_number(void *with, graph_object object);
typedef bool graph_visit_edge(void *with, const struct graph_edge *edge);
typedef bool graph_visit_field(void *with, const struct graph_field *field, graph_class declared_in,
                               const struct graph_value *value);
typedef bool graph_visit_frame(void *with, uint32_t depth, const struct graph_frame *frame);

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
/** One class in a histogram. */
struct graph_histo {
    uint64_t objects, shallow_bytes; /* of all objects of the dump */
    uint64_t lost, lost_bytes;       /* those of them that are not reachable */
    /* What would be freed if all its objects were: the sum of the retained sizes of those that no
     * other object of the class dominates. */
    uint64_t retained_bytes;
    graph_object
        largest; /* the one with the largest retained size; GRAPH_NONE: none is reachable */
};
/** The histogram of all classes: `ret_rows` has a row for each class, graph_class_count() of them,
 * in the order of their numbers. Before graph_dominate() the retained sizes are 0, and so is what
 * is lost. Reads the file once. Errors: 0; -errno; E_LIMIT. */
int graph_histo(struct graph *g, struct graph_histo *ret_rows);

/**
 * Finds a shortest path from a root to an object, over references that keep something alive. The
 * visitor gets the edges from the root on; there are none if the object is a root itself. The first
 * edge begins at the root. Reads the file a few times. After graph_dominate().
 *
 * Errors: 0; E_NOT_FOUND: the object is not reachable; E_LIMIT; -errno.
 */
int graph_path(struct graph *g, graph_object object, graph_visit_edge *visit, void *with);
/**
 * Proves dominators and retained sizes by code that shares nothing with graph_dominate() but the
 * reader: the tree by two conditions on all references, the sizes by another way of summing. Reads
 * the file three times. After graph_dominate().
 *
 * Errors: 0: all is proven; E_FORMAT: a proof failed, `ret_why` names the object; -errno; E_LIMIT.
 */
int graph_verify(struct graph *g, char ret_why[GRAPH_WHY]);
