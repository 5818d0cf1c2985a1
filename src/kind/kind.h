/*
 * kind.h - the kinds of events, as data: the names of a kind, its values, and its layout in files
 * and reports.
 *
 * A kind has a file kind_NAME.c with one `const struct kind`, a row in kind.def and a word in
 * meson.build. Code that reads, writes or shows events loops over kind_all[] and asks the kind's
 * struct, so no other file has to know which kinds exist. The files of kinds hold data only and
 * include no other folder, so every program can link all kinds.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind_id {
#define KIND(NAME, name) KIND_##NAME,
#include "kind/kind.def"
#undef KIND
    KIND_COUNT, /* how many kinds there are */
};

/** Sets of the kinds that a file can hold: bit N is kind N. */
enum {
    KIND_SET_ANY_ONE = 0, /* one value of the events of one kind, which may be any kind */
    KIND_SET_ALL = (1 << KIND_COUNT) - 1,
    KIND_SET_HPROF_BINARY = 1 << KIND_SAMPLE | 1 << KIND_SITE, /* those with records of their own */
};

enum {
    KIND_VALUES = 4, /* the most values of an event */
    KIND_SERIES = 3, /* the most series of a kind */
    KIND_JFR_VALUES = 4,
};

enum kind_unit {
    KIND_UNIT_COUNT,
    KIND_UNIT_NS,
    KIND_UNIT_BYTES,
    KIND_UNIT_LEVEL, /* bytes at one moment; shown as the mean of the levels (event_count()) */
};

/** One value of an event. A kind with fewer than KIND_VALUES values leaves the last rows empty:
 * their `words` is NULL. */
struct kind_value {
    const char *name;  /* "LIVE_BYTES": in JFR files the field liveBytes */
    const char *words; /* "live bytes"; NULL: there is no such value */
    enum kind_unit unit;
    /* Name in pprof and OTLP: the name that Go and other programs use, if they have the value.
     * NULL: the value is not written there, because a level is no sum. */
    const char *sample_type;
    bool is_raw; /* another value of the kind is this value after a correction */
};

/** A value of a profile that users ask for by a word, as in `report -e alloc`. */
struct series {
    const char *word; /* NULL: there is no such series */
    enum kind_id kind;
    uint32_t value; /* index of the value in the kind */
    /* Place among all series, from 1. A profile is shown by the first series that it has. 0: the
     * series has no place, and users cannot ask for it by its word. */
    uint32_t rank;
};

/** How a number in a field of a JFR event becomes a value. */
enum kind_jfr_unit { KIND_JFR_AS_IS, KIND_JFR_NS };

/** Which types of events a row is for. */
enum kind_jfr_of {
    KIND_JFR_OF_NAME,        /* the type that the row names */
    KIND_JFR_OF_APPLICATION, /* all types that a program has defined */
    KIND_JFR_OF_USER,        /* all types with a stack that the user of a command has named */
};

/** The field "address" tells which block an event is about. */
enum kind_jfr_block { KIND_JFR_BLOCK_NONE, KIND_JFR_BLOCK_MADE, KIND_JFR_BLOCK_FREED };

struct kind;

/**
 * A type of events in JFR files that belongs to the kind, and how the fields of such an event fill
 * the kind's values. The names of types and fields are those of the JDK's metadata.xml and of
 * async-profiler.
 *
 * If a recording measures one thing with two types of events, only one type counts: samples by CPU
 * time and not the samples of running threads; sampled allocations and not the allocations that
 * found their buffer (TLAB) full; exceptions and not the errors among them. A type without a row is
 * not read into the model. Sums of our own have their own types (format/jfr_schema.h).
 */
struct kind_jfr {
    const char *event; /* "": the row is for several types, see `of`; NULL: no more rows */
    const char *rival; /* if a chunk has events of this type, events of type `event` do not count */
    /* "stackTrace"; NULL: the events have no stack. Another name: a field with a method, which
     * becomes a stack of one frame if the event has no stackTrace. */
    const char *stack;
    const char *klass; /* the field that becomes the event's class; NULL: none */
    /* The field that becomes the text: a text, or a class, method or class loader by name; NULL:
     * none. */
    const char *text;
    const char *state; /* the state of the thread, if no field tells it; otherwise NULL */
    /* The fields that fill the kind's values, from value `skipped` on. NULL: no field; then the
     * first and the second value are 1, and the others are 0. If an event lacks the field, the
     * value is 0. */
    const char *values[KIND_JFR_VALUES];
    /* The kind of events whose class is the class of a lock; NULL: this kind. */
    const struct kind *if_lock;
    /* The kind of events that are samples of wall-clock time (jfr_wall.h); NULL: this kind. */
    const struct kind *if_wall;
    enum kind_jfr_unit units[KIND_JFR_VALUES];
    enum kind_jfr_of of;
    unsigned skipped; /* so many values of the kind come before `values` */
    /* Which end of the life of a block of memory the event is; format/jfr_blocks.h joins both. */
    enum kind_jfr_block block;
    bool has_peer; /* the text is the peer: fields host, address, port (base/peername.h) */
    bool is_heap;  /* the level of the heap before or after a collection */
    /* The level of a code heap: the values are a look, the used and the reserved bytes. */
    bool is_code_heap;
    bool has_cause; /* a collection; its field "cause" is also the text of its heap levels */
    /* An error comes twice: an event whose innermost frame is in java.lang.Error is left out. */
    bool has_errors;
    bool has_state;  /* a field "state" has the state of the thread */
    bool has_period; /* a field "samplingPeriod" has the CPU time that the event stands for */
    bool is_waiting; /* the thread may wait: the event counts only if the user asks for states */
};

/** The type of events in JFR files as which events of the kind are written; src/format/jfr_put.c
 * fills the fields. */
enum kind_jfr_layout {
    KIND_JFR_SUM,            /* a type of our own, named after the kind (format/jfr_schema.h) */
    KIND_JFR_SAMPLE,         /* samples of CPU time; their sums are not written */
    KIND_JFR_WALL,           /* async-profiler's samples of wall-clock time */
    KIND_JFR_COLLECTION,     /* a garbage collection, its pause, and the heap before and after it */
    KIND_JFR_THROW,          /* the making of a Throwable */
    KIND_JFR_ALLOCATION,     /* a sampled allocation, or an object that lives */
    KIND_JFR_BLOCKED,        /* an enter or wait of a monitor, or a park */
    KIND_JFR_LOAD,           /* the CPU load of the process and the machine */
    KIND_JFR_LEVELS,         /* memory and threads at one moment */
    KIND_JFR_CLASS,          /* a class that was loaded or unloaded */
    KIND_JFR_BLOCKS,         /* a block of native memory that was allocated or freed */
    KIND_JFR_MAPPINGS,       /* pages that were mapped, unmapped, or are mapped still */
    KIND_JFR_CALLS,          /* a call of a method */
    KIND_JFR_SAFEPOINT,      /* a safepoint to which threads came late */
    KIND_JFR_PERF,           /* a sample by an event of the processor or the kernel */
    KIND_JFR_IO,             /* a read, a write or another call for a file or a socket */
    KIND_JFR_COMPILATION,    /* a method that was compiled */
    KIND_JFR_DEOPTIMIZATION, /* uncommon traps of a method, or code that was given up */
    KIND_JFR_CODE_HEAP,      /* the level of a code heap, or that it was full */
    KIND_JFR_VIRTUAL,        /* the start or the end of a virtual thread, or that one was pinned */
    KIND_JFR_APPLICATION,    /* a type that a program has defined */
    KIND_JFR_LAYOUTS,
};

/** The layout of the kind's table in HPROF text; docs/format/hprof-text.md shows each layout. */
enum kind_text_layout {
    KIND_TEXT_EVENTS,  /* EVENTS word BEGIN: any kind */
    KIND_TEXT_SAMPLES, /* CPU SAMPLES: shares, counts, traces */
    KIND_TEXT_TIMES,   /* CPU TIME (ms): shares of a time, calls, traces, methods */
    KIND_TEXT_ENTERS,  /* MONITOR TIME: shares of a time, enters, traces, a text */
    KIND_TEXT_PAIRS,   /* count callee caller time: pairs of methods, without BEGIN and END */
    KIND_TEXT_CLASSES, /* HISTOGRAM: bytes, objects, class */
    KIND_TEXT_SITES,   /* SITES: live and allocated bytes and objects, trace, class */
    KIND_TEXT_LAYOUTS,
};

struct kind_text {
    enum kind_text_layout layout;
    const char *title;   /* the words in front of BEGIN and END */
    const char *exact;   /* the title of the same rows in ns; NULL: the shares are of counts */
    const char *unit;    /* the text behind the total */
    const char *subject; /* the head of the last column */
    bool may_be_empty; /* a table without rows is written too: it says that there were no events */
    bool needs_time;   /* a row whose time is 0 is left out, even if its counts are not 0 */
    bool begins_dump;  /* its table is the first of a dump: it ends the tables with `of_dump` */
    bool of_dump;      /* its table is valid for one dump only, and written only if it has rows */
};

/** How a report shows a kind. */
enum kind_report_layout {
    KIND_REPORT_EVENTS,    /* a table of all values, which fits any kind */
    KIND_REPORT_SAMPLES,   /* methods by their samples, at the top */
    KIND_REPORT_WALL,      /* methods by their samples, after those of KIND_REPORT_SAMPLES */
    KIND_REPORT_TIMES,     /* methods by the time of their calls */
    KIND_REPORT_INCLUSIVE, /* the same, but the time of a caller includes its callees */
    KIND_REPORT_ENTERS,    /* monitors by time */
    KIND_REPORT_SITES,     /* allocation sites */
    KIND_REPORT_CLASSES,   /* classes by bytes */
};

struct kind_report {
    enum kind_report_layout layout;
    const char *head;   /* words of the first line: "317 ms in methods"; NULL: times are no sum */
    const char *counts; /* what the second value counts: "calls" */
    const char *of; /* end of its tables' titles: ": cpu=times"; KIND_REPORT_CLASSES: the title */
};

/** How a report counts the kind's events among what happened while a call lasted. */
enum kind_inside {
    KIND_INSIDE_NOTHING,
    KIND_INSIDE_SAMPLES, /* the first value counts samples of the thread's CPU time */
    KIND_INSIDE_SPAN,    /* the first value is the length of the event, of the same thread */
    KIND_INSIDE_PAUSE,   /* the same, of all threads */
    KIND_INSIDE_SUM,     /* the first value is a number that is added up, of the same thread */
};

struct kind {
    enum kind_id id;
    const char *name;  /* "LIVE_HISTO": in JFR files the type hprof.LiveHisto */
    const char *word;  /* the name for users and in EVENTS tables: "live-histo" */
    const char *title; /* the title of its table: "what can be reached, by class" */
    struct kind_value values[KIND_VALUES];
    struct series series[KIND_SERIES];
    /* Texts of its events by which pprof and OTLP name value 0 if all events have one of them,
     * ended by NULL; NULL: the name is always that of the value. */
    const char *const *texts;
    const struct kind_jfr *jfr; /* rows up to one without `event`; NULL: none */
    enum kind_jfr_layout jfr_layout;
    /* Name of the quality count of events that were not read because of a rival (kind_jfr.rival);
     * NULL: they are not counted. */
    const char *passed;
    struct kind_text text;
    struct kind_report report;
    enum kind_inside inside;
    bool is_of_class; /* for events of objects: a class that a file does not name is "unknown" */
};

#define KIND(NAME, name) extern const struct kind kind_##name;
#include "kind/kind.def"
#undef KIND

/** All kinds, by enum kind_id. */
extern const struct kind *const kind_all[KIND_COUNT];
/** The row for the JFR type with this name, and its kind; NULL: no kind has it. Context: any. */
const struct kind_jfr *kind_jfr_named(const char *event, enum kind_id *ret_kind);
/** The first row with this `of`, and its kind. Context: any. */
const struct kind_jfr *kind_jfr_of(enum kind_jfr_of of, enum kind_id *ret_kind);
/** The first kind with this layout. Context: any. */
enum kind_id kind_of_text(enum kind_text_layout layout);
enum kind_id kind_of_jfr(enum kind_jfr_layout layout);
enum kind_id kind_of_report(enum kind_report_layout layout);
/** The unit of a value as one word: count, ns or bytes. Context: any. */
const char *kind_unit_word(enum kind_unit unit);
/** How many values events of this kind have. Context: any. */
uint32_t kind_value_count(enum kind_id kind);
