/*
 * view_heap.h - what `hprof view` shows of a heap dump: the page of heappage/, and answers about
 * single objects when the page asks for them.
 *
 * The page asks GET ask?q=QUESTION&id=ID&n=ROWS&from=ROW and gets the JSON of `hprof heap --json`.
 * `id` is hexadecimal, with or without 0x. `from` leaves out rows of tree, show and referrers. A
 * request that makes no sense gets one line that says why.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "heap/graph.h"
#include "view/http_request.h"
#include "view/serve.h"

struct view_heap {
    /* Set by the caller: */
    const char *file, *others; /* `others`: see heappage.h */
    struct graph_options options;
    bool with_values;
    /* Set by view_heap_open(): */
    struct graph *graph;
    char why[SERVE_WHY]; /* of the last answer */
};

/** Reads the heap, and writes the page into `page`. Errors: 0; E_FORMAT, before anything is
 * written: the file is no heap dump in a form that can be read; others after saying why. Owner:
 * view_heap_close(), also after an error. */
int view_heap_open(struct view_heap *v, int page);
void view_heap_close(struct view_heap *v);
/** Answers `ask?...`. */
void view_heap_answer(struct view_heap *v, const struct http_request *q,
                      struct serve_answer *ret_answer);
