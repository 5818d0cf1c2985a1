/*
 * question_text.h - what the answers about objects of a heap have in common: names, rows, JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heap/heapanswer.h"
#include "heap/question.h"

/** The share of a size in all reachable bytes, in percent. */
double question_text_share(const struct question_asked *a, uint64_t bytes);
/** Writes the name of an object: its class, and its id: "java.util.HashMap @ 0x7f0011223344". For
 * a class object "class java.util.HashMap @ ...", for a thread also its name. */
void question_text_object(struct question_asked *a, graph_object object);
/** Writes the columns of an object in a table of what is held: its retained size, its share in all
 * reachable bytes, its name. The caller ends the line. */
void question_text_row(struct question_asked *a, graph_object object);
/** Writes the members of an object of JSON that name a heap object: "id", "class" and so on. The
 * braces are the caller's. */
void question_text_json(struct question_asked *a, graph_object object);
/** Writes a string of JSON in quotes. */
void question_text_quoted(struct question_asked *a, const char *text);
/** Writes what makes an object a root: "thread \"main\"". Returns whether it is a root. */
bool question_text_root(struct question_asked *a, graph_object object);
/** Writes how one object refers to another: "field next", "element 12" and so on. */
void question_text_edge(struct question_asked *a, const struct graph_edge *edge);
/** A word for a kind of reference, for JSON. */
const char *question_text_edge_kind(enum graph_edge_kind kind);
/** Writes a value of a field, cut to a readable length. */
void question_text_value(struct question_asked *a, const struct graph_value *value);

/** Objects of which some with the largest retained sizes are kept, in order. */
struct question_text_best {
    struct graph *graph;
    graph_object *objects;
    uint32_t room, count;
    uint64_t seen, bytes; /* of all that came, with the sum of their retained sizes */
};

/** A graph_visit_number that keeps the largest; `with` is the struct. */
bool question_text_keep(void *with, graph_object object);
