/*
 * kind.h - the kinds of events, as data: what a kind is called, what its values are, and how files
 * and reports lay it out.
 *
 * A kind is a file, kind_NAME.c, with one `const struct kind`, a row of kind.def and a word in
 * meson.build. What reads, writes or shows events loops over kind_all[] and asks the row; no other
 * file has to know which kinds there are. A row holds data only, and includes no other folder, so
 * that each program may link all rows.
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

enum {
    KIND_VALUES = 4, /* of an event, at most */
    KIND_SERIES = 3, /* of a kind, at most */
    KIND_JFR_VALUES = 3,
};

enum kind_unit {
    KIND_UNIT_COUNT,
    KIND_UNIT_NS,
    KIND_UNIT_BYTES,
    KIND_UNIT_LEVEL, /* bytes at one moment: of a sum, the mean says more (event_count()) */
};

/** One of the values of an event; of a kind's rows, those behind the last have no words. */
struct kind_value {
    const char *name;  /* "LIVE_BYTES": in JFR files the field liveBytes */
    const char *words; /* "live bytes"; NULL: there is no such value */
    enum kind_unit unit;
    const char *sample_type; /* in pprof and OTLP; those of Go and others, where there is one.
                              * NULL: it is not written, as levels are no sums */
    bool is_raw;             /* another value of the kind is the same, corrected */
};

/** A value of a profile that users ask for by a word, as in `report -e alloc`. */
struct series {
    const char *word; /* NULL: there is no such series */
    enum kind_id kind;
    uint32_t value; /* which of the kind's values */
    uint32_t rank;  /* of all series, from 1: a profile is shown by the first that it has; 0: by
                     * none, for no word asks for it */
};

/** How a number in a field of a JFR event becomes a value. */
enum kind_jfr_unit { KIND_JFR_AS_IS, KIND_JFR_NS };

/** Which types of events a row is for. */
enum kind_jfr_of {
    KIND_JFR_OF_NAME,        /* the one that it names */
    KIND_JFR_OF_APPLICATION, /* all that a program has defined */
    KIND_JFR_OF_USER,        /* all that the user of a command has named, with a stack */
};

struct kind;

/**
 * A type of events of JFR files whose events are of the kind, and how their fields fill it. Names
 * of types and fields are those of the JDK's metadata.xml and of async-profiler.
 *
 * If a recording measures one thing twice, one of the two types counts: CPU time rather than the
 * samples of running threads, sampled allocations rather than those at the ends of buffers,
 * exceptions rather than the errors among them. A type that is not in a row is no event of the
 * model; sums of our own have types of their own (format/jfr_schema.h).
 */
struct kind_jfr {
    const char *event; /* "": of several types; NULL: there are no more rows */
    const char *rival; /* if a chunk has events of this type, those of `event` do not count */
    const char *stack;
    const char *klass; /* becomes the event's class; NULL: none */
    const char *text;  /* a text, or a class or class loader whose name is the text; NULL: none */
    const char *state; /* of its thread, if the event has no such field */
    /* The fields of the kind's first values. The first two that have no field are 1; a value whose
     * field an event has not is 0. */
    const char *values[KIND_JFR_VALUES];
    /* The kind of an event whose class is that of a lock; NULL: this one. */
    const struct kind *if_lock;
    /* The kind of an event whose chunk or state says wall-clock time (jfr_wall.h); NULL: this. */
    const struct kind *if_wall;
    enum kind_jfr_unit units[KIND_JFR_VALUES];
    enum kind_jfr_of of;
    unsigned skipped; /* so many values of the kind come before these */
    bool is_heap;     /* the heap's level before or after a collection, which has the cause */
    bool has_cause;   /* the event is such a collection: its field "cause" is the text of both */
    bool has_errors;  /* errors come twice, once from their own constructor */
    bool has_state;   /* of its thread, a field "state" */
    bool has_period;  /* the CPU time that it stands for, a field "samplingPeriod" */
    bool is_waiting;  /* perhaps: it counts only if the user asks for its state */
};

/** As which type of the JDK's a JFR file gets events of the kind; src/format/jfr_put.c fills them.
 */
enum kind_jfr_layout {
    KIND_JFR_SUM,         /* as none: a type of our own, named by the kind (format/jfr_schema.h) */
    KIND_JFR_SAMPLE,      /* samples of CPU time; their sums are left out */
    KIND_JFR_WALL,        /* async-profiler's samples of wall-clock time */
    KIND_JFR_COLLECTION,  /* a garbage collection, its pause, the heap before and after */
    KIND_JFR_THROW,       /* a throwable was made */
    KIND_JFR_ALLOCATION,  /* a sampled allocation, or an object that lives */
    KIND_JFR_BLOCKED,     /* an enter or wait of a monitor, or a park */
    KIND_JFR_LOAD,        /* the CPU load of the process and the machine */
    KIND_JFR_LEVELS,      /* memory and threads at a moment */
    KIND_JFR_CLASS,       /* a class that was loaded, or is gone */
    KIND_JFR_APPLICATION, /* a type that a program has defined */
    KIND_JFR_LAYOUTS,
};

/** How HPROF text has a table of the kind; docs/format/hprof-text.md shows each. */
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
    const char *title;   /* in front of BEGIN and END */
    const char *exact;   /* the title of the same rows in ns; NULL: the shares are of counts */
    const char *unit;    /* behind the total */
    const char *subject; /* what the last column names */
    bool may_be_empty;   /* a table without rows is written: it says that there was nothing */
    bool needs_time;     /* a row whose time is 0 is left out, whatever it counts */
    bool begins_dump; /* its table is the first of a dump, which has no others of `of_dump` ... */
    bool of_dump;     /* ... than those that follow */
};

/** How a report shows a kind. */
enum kind_report_layout {
    KIND_REPORT_EVENTS,    /* a table of all values, like that of any kind */
    KIND_REPORT_SAMPLES,   /* methods by their samples, at the top */
    KIND_REPORT_WALL,      /* methods by their samples, after those */
    KIND_REPORT_TIMES,     /* methods by the time of their calls */
    KIND_REPORT_INCLUSIVE, /* the same; times of callers hold those of callees */
    KIND_REPORT_ENTERS,    /* monitors by time */
    KIND_REPORT_SITES,     /* allocation sites */
    KIND_REPORT_CLASSES,   /* classes by bytes */
};

struct kind_report {
    enum kind_report_layout layout;
    const char *head;   /* of the line at the top: "317 ms in methods"; NULL: times are no sum */
    const char *counts; /* "calls" */
    const char *of;     /* behind the titles of its tables: ": cpu=times"; of classes, the title */
};

struct kind {
    enum kind_id id;
    const char *name;  /* "LIVE_HISTO": in JFR files the type hprof.LiveHisto */
    const char *word;  /* as users and files of EVENTS tables write it: "live-histo" */
    const char *title; /* of a table: "what can be reached, by class" */
    struct kind_value values[KIND_VALUES];
    struct series series[KIND_SERIES];
    const struct kind_jfr *jfr; /* NULL: no type of others is of the kind */
    enum kind_jfr_layout jfr_layout;
    /* The quality count of events that a JFR file holds in two types, of which one is not read;
     * NULL: they are not counted. */
    const char *passed;
    struct kind_text text;
    struct kind_report report;
    bool is_of_class; /* of objects, which are of a class also if a file does not say of which */
};

#define KIND(NAME, name) extern const struct kind kind_##name;
#include "kind/kind.def"
#undef KIND

/** By enum kind_id. */
extern const struct kind *const kind_all[KIND_COUNT];
/** The row for the type of this name, and its kind; NULL: no kind has it. Context: any. */
const struct kind_jfr *kind_jfr_named(const char *event, enum kind_id *ret_kind);
/** The first row that is for such types. Context: any. */
const struct kind_jfr *kind_jfr_of(enum kind_jfr_of of, enum kind_id *ret_kind);
/** The first kind with this layout. Context: any. */
enum kind_id kind_of_text(enum kind_text_layout layout);
enum kind_id kind_of_report(enum kind_report_layout layout);
/** The unit of a value in one word: count, ns, bytes. Context: any. */
const char *kind_unit_word(enum kind_unit unit);
/** How many values events of this kind have. Context: any. */
uint32_t kind_value_count(enum kind_id kind);
