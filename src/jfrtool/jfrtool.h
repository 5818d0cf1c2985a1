/*
 * jfrtool.h - what each word of `hprof jfr` is asked for, and the function that does it.
 *
 * A function whose result is an enum cmd_result (command/cmd.h) prints to standard output or writes
 * a file, and has said what went wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/window.h"
#include "jfr/jfr_filter.h"
#include "jfrtool/jfr_fit.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_where.h"

struct jfr_secret;
struct tabular_out;

/* ---- print, tail: the events of a file in the order of their ends */

struct jfrtool_print {
    struct jfr_filter filter;
    const struct jfr_printer_style *style;
    struct window range;
    enum jfr_printer_clock clock;
    unsigned stack_depth;
    bool is_exact;
};

/** Prints the events of a file. Returns an enum cmd_result. */
int jfr_print_file(const struct jfrtool_print *p, const char *path);
/**
 * Prints, after each flush, the events of a JVM that is still recording: what is flushed from now
 * on into the chunk files of a repository, or into one such file, until the JVM ends its recording.
 * Returns an enum cmd_result.
 */
int jfr_print_tail(const struct jfrtool_print *p, const char *path);

/* ---- summary, metadata */

/** Counts the events of each type in a file, and their bytes. Returns an enum cmd_result. */
int jfr_summary_print(const char *path);
/** Prints the declarations of the types of a file: of all, or of the events that pass the filter.
 * Returns an enum cmd_result. */
int jfr_declare_print(const char *path, const struct jfr_filter *filter);

/* ---- events: those of the JDKs, and what a file has of them */

enum { JFRTOOL_NAMES = 1024 }; /* bytes of all patterns together */

struct jfrtool_events {
    unsigned jdk;       /* only events of this JDK; 0: of all JDKs */
    unsigned diff_with; /* print what differs between this JDK and `jdk`; 0: no comparison */
    const char *path;   /* the output; "-": standard output */
    bool is_page;       /* HTML; false: text */
};

/** `words` are names of events, in which * and ? may stand, and files. Returns an enum
 * cmd_result. */
int jfr_events_print(const struct jfrtool_events *e, const char *const *words, size_t count);

/* ---- view: tables of the events of a file */

enum { JFRTOOL_KEYS = 8 };

/** A view with a name, or a table that the user describes. */
struct jfrtool_view {
    const char *name; /* the name of a view or of events */
    struct jfr_where_set where;
    const char *keys[JFRTOOL_KEYS]; /* fields, or EVENT.FIELD of an event around */
    uint32_t key_count;             /* 0: the view's own group, or rows of events */
    const char *sum;                /* a field; NULL: the view's own, or none */
    uint32_t top;                   /* number of rows; 0: the view's own number, or 20 */
    struct jfr_fit layout;
    struct window range;     /* only events of this span of time */
    struct tabular_out *out; /* gets the rows, if they are sorted or written as data */
    bool is_verbose;         /* also print the query */
};

/** Returns an enum cmd_result. */
int jfr_view_print(const struct jfrtool_view *view, const char *path);
/** Whether there is a view of this name. */
bool jfr_named_is(const char *name);
/** Prints the names of all views, each in a line, to standard output. */
void jfr_named_list(void);
/** Whether the name is a word that stands for several tables, as in the JDK's tool: all-views,
 * all-events or types. */
bool jfr_view_all_is(const char *name);
/** Prints the tables of this word. Returns an enum cmd_result. */
int jfr_view_all_print(const struct jfrtool_view *view, const char *path);
/** Prints a line for each of the words. */
void jfr_view_all_list(void);

/* ---- cut, scrub: a recording again with a part of its events, or without some of its texts
 *
 * Source of the filters: jdk.jfr, Scrub. */

enum { JFRTOOL_FILTERS = 32 };

/** The property that a filter compares. */
enum jfrtool_filter_about {
    JFRTOOL_FILTER_EVENTS,
    JFRTOOL_FILTER_CATEGORIES,
    JFRTOOL_FILTER_THREADS
};

struct jfrtool_filter {
    enum jfrtool_filter_about about;
    bool is_excluding;
    const char *names; /* patterns, separated by commas */
};

struct jfrtool_cut {
    struct window range;
    struct jfrtool_filter filters[JFRTOOL_FILTERS]; /* an event must pass all */
    size_t filter_count;
    const char *redact;     /* patterns of texts that are replaced; NULL: none */
    const char *redact_key; /* patterns of keys whose values are replaced; NULL: none */
    const char *output;     /* NULL: the name of the input with `suffix` */
    const char *suffix;     /* as in "-cut" */
};

/** Writes the events and texts that are left into another file. Returns an enum cmd_result. */
int jfr_cut_file(struct jfrtool_cut *cut, const char *path);

/* ---- assemble, disassemble: the chunks of several files in one, those of one file in several
 *
 * Source of names and limits: jdk.jfr, Assemble and Disassemble. */

struct jfrtool_split {
    uint32_t chunks_max; /* greatest number of chunks of a file; 0: any number */
    uint64_t bytes_max;  /* greatest number of bytes of a file; 0: any number */
    const char *folder;  /* the folder for the files */
};

/** Puts the *.jfr files of a folder together, sorted by name. Returns an enum cmd_result. */
int jfr_split_assemble(const char *repository, const char *output);
/** Writes NAME_0.jfr and so on, each with as many chunks as the limits allow. Returns an enum
 * cmd_result. */
int jfr_split_file(const struct jfrtool_split *split, const char *path);

/* ---- merge: recordings of several JVMs, or of several parts of a run, in one file */

/** The files that another command merges. */
struct jfrtool_merge {
    const char *command;
    const char *const *paths;
    const char *const *names; /* the names of the files in messages */
    size_t count;
    const char *output;        /* not one of the files; an existing file is moved aside */
    struct jfr_secret *secret; /* texts that are left out; NULL: none */
};

/**
 * Writes the chunks of all files into one. If several files have the same chunk, as two dumps of
 * one JVM do, it is written once. Returns an enum cmd_result.
 */
int jfr_merge_files(const char *const *paths, size_t count, const char *output);
/** Works like jfr_merge_files(), but prints nothing at the end. Errors: 0, or negative after saying
 * why; E_TRUNCATED: the readable part was written. */
int jfr_merge_write(const struct jfrtool_merge *what);

/* ---- configure: settings of recordings, of other settings and of choices */

struct jfrtool_configure {
    const char *inputs; /* comma-separated files, or default, profile, none; NULL: default */
    const char *output; /* "-": standard output; NULL: custom.jfc */
    unsigned jdk;       /* the JDK of default and profile; 0: the newest that is known */
    bool is_verbose;    /* list the settings that have changed */
};

/** Writes the settings after the choices in `words`, which are NAME=VALUE. Without words and
 * without an output, lists what can be chosen. Returns an enum cmd_result. */
int jfr_configure_run(const struct jfrtool_configure *c, const char *const *words, size_t count);
