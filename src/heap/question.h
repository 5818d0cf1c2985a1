/*
 * question.h - the questions that `hprof heap` answers about a heap.
 *
 * A question is one file question_NAME.c, which exports one `const struct question question_NAME`,
 * and its word in the list of meson.build. It writes its answer into a sink, as text or as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/graph.h"

struct sink;

/** What is asked. */
struct question_asked {
    struct graph *graph;
    const char *file;    /* the name of the dump, for texts */
    struct sink *out;    /* foreign text in it is cleaned by the owner of the sink */
    bool is_json;        /* one object of JSON, in one line for each row */
    uint32_t rows;       /* rows of a table at most */
    graph_object object; /* of questions about one object */
    bool with_values;    /* show the contents of strings and arrays */
    const char *why;     /* set by the question if it fails; NULL: the error's text */
};

struct question {
    const char *name;
    const char *operand; /* "ID", or NULL: the question has none */
    const char *help;    /* one line, no full stop */
    bool needs_dominators;
    /** Answers. Errors: 0; negative as in base/err.h. */
    int (*answer)(struct question_asked *a);
};

/** All questions, in the order of the list; NULL at the end. The first one is asked if the user
 * names none. */
extern const struct question *const question_all[];
