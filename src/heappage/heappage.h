/*
 * heappage.h - a heap as one HTML page: what is large, what holds it, and through which root.
 *
 * The page needs no network and no other file. It has the upper part of the dominator tree, and the
 * answers to the questions about the whole heap (heap/question.h) in the form of their JSON. It is
 * at most HEAPPAGE_BYTES long, whatever the heap: of the tree the smallest objects are left out, of
 * the tables the last rows, and the page says how much.
 *
 * Names of classes, fields, threads and class loaders are in the page. Contents of strings and
 * arrays are in it only if they are asked for. Layout: docs/heap-page.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct diag;
struct graph;
struct sink;

enum { HEAPPAGE_BYTES = 5000000 };

struct heappage_asked {
    struct graph *graph; /* after graph_dominate() */
    const char *file;    /* the name of the dump, for texts and command lines */
    const char *others;  /* what else the file has, one sentence; NULL: nothing */
    bool with_values;    /* contents of strings and arrays, too */
    bool is_served;      /* the page may ask its server about single objects: src/cli/view_heap.h */
    struct diag *diag;   /* progress; NULL: none */
    const char *why;     /* set if it fails; NULL: the error's text */
};

/** Writes the page. Reads the dump many times. Errors: 0; -errno; negative as in base/err.h. A
 * question that needs more memory than there is, is left out, and the page says so. */
int heappage_write(struct heappage_asked *a, struct sink *out);
