/*
 * graph_types.h - the types of graph.h, for it and for the files that graphs are made of.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct graph;
struct heapinput;

/** The number of an object. */
typedef uint64_t graph_object;
/** The number of a class. */
typedef uint32_t graph_class;

#define GRAPH_NONE (UINT64_MAX)     /* no object: null, or an id that the dump has no record for */
#define GRAPH_ROOT (UINT64_MAX - 1) /* the virtual root, only as the dominator of an object */
#define GRAPH_NO_CLASS (UINT32_MAX)

enum { GRAPH_SEEN_BYTES = 16 * 1024, GRAPH_WHY = 512, GRAPH_THREAD_NAME = 256 };

/** How shallow sizes are computed. */
enum graph_sizes {
    GRAPH_SIZES_VM,  /* as the JVM had them, which is found by the distances of addresses */
    GRAPH_SIZES_MAT, /* Eclipse MAT's formula */
};

struct graph_options {
    uint64_t memory_bytes;   /* hard limit; 0: a quarter of what machine and cgroup have left */
    const char *tmp;         /* folder for temporary files without a name; NULL: beside the input */
    struct heapinput *input; /* the open dump that `path` names, which the graph takes over; or
                                NULL */
    uint32_t dump;           /* which dump of the file, from 1; 0: the last one */
    bool follows_weak;  /* weak, soft, phantom and final references keep their referents alive */
    bool skips_classes; /* an object does not refer to its class */
    bool skips_index;   /* neither reads nor writes FILE.hidx */
    enum graph_sizes sizes;
    struct diag *diag; /* remarks and progress; NULL: none */
    /* For tests: tables are in a file from the beginning, in pages of so many bytes. 0: tables go
     * into a file when memory ends. */
    uint32_t table_page;
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
