/*
 * question.h - the questions that `hprof heap` answers about a heap.
 *
 * A question is one file question_NAME.c, which exports one `const struct question question_NAME`,
 * and its word in the list of meson.build. It writes its answer by heapanswer.h, which gives it the
 * form that was asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "heap/graph.h"

struct allocrates;
struct sink;

/** The JVM that left the core from which a dump was made. */
struct question_origin {
    int pid, signal; /* `signal` ended it; 0: none, the core is a picture of a living process */
    char *thread;    /* by which the signal came; NULL: unknown */
    char *flags, *command; /* of the VM, and the main class or jar with its arguments; or NULL */
};

/** What a histogram puts together. */
enum question_by { QUESTION_BY_CLASS, QUESTION_BY_LOADER, QUESTION_BY_PACKAGE };

/** Heaps that are compared. */
struct question_several {
    const char *const *files; /* the oldest first */
    uint32_t count;
    struct heapinput *last; /* the last one if it is open already: taken over; NULL: it is not */
    bool verifies;          /* proves dominators and retained sizes */
    bool is_damaged;        /* set by the question: one of the files is not whole */
};

/** What is asked. */
struct question_asked {
    struct graph *graph;
    const char *file;    /* the name of the dump, for texts */
    struct sink *out;    /* foreign text in it is cleaned by the owner of the sink */
    bool is_json;        /* one object of JSON, in one line for each row */
    uint32_t rows;       /* rows of a table at most */
    uint64_t skip;       /* rows that come first and are left out; of tree, show and referrers */
    uint64_t paths;      /* paths to one object at most */
    enum question_by by; /* what a histogram counts by */
    graph_object object; /* of questions about one object */
    bool with_values;    /* show the contents of strings and arrays */
    bool is_markdown;    /* Markdown for tickets, in place of text */
    const struct question_origin *origin; /* NULL: the dump is not of a core */
    struct question_several several;      /* of a question that compares; there is no graph then */
    const struct graph_options *options;  /* how to open it */
    const struct question_limit *limit;   /* NULL: none */
    struct allocrates *rates; /* what a recording says of allocations; NULL: there is none */
    const char *why;          /* set by the question if it fails; NULL: the error's text */
    bool is_above_limit;      /* set by the question: the command fails after the answer */
};

/** By how much something may grow before the command fails. */
struct question_limit {
    double percent;
    const char *class_name; /* NULL: the whole heap */
};

struct question {
    const char *name;
    const char *operand; /* "ID", "[ID]"; NULL: the question has none */
    const char *help;    /* one line, no full stop */
    bool needs_dominators;
    bool needs_elements;  /* of long arrays of primitives, which a dump of a JVM else leaves out */
    bool compares;        /* two heaps or more: question_asked.several */
    bool takes_recording; /* its operand is one: question_asked.rates */
    /** Answers. Errors: 0; negative as in base/err.h. */
    int (*answer)(struct question_asked *a);
};

/** All questions, in the order of the list; NULL at the end. The first one is asked if the user
 * names none. */
extern const struct question *const question_all[];
/** NULL: there is no question of this name. */
static inline const struct question *question_named(const char *name)
{
    const struct question *const *q = question_all;
    while (*q && strcmp((*q)->name, name) != 0)
        q++;
    return *q;
}
