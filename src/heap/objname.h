/*
 * objname.h - how answers name objects, roots, references and frames.
 *
 * Names are texts of the dump: whoever writes them to a terminal cleans them (heap/heapanswer.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "heap/graph.h"

struct heapanswer;

enum { OBJNAME_ROOM = 512 };

/** The name of a class; "(unknown)" for GRAPH_NO_CLASS. Borrowed from the graph. */
const char *objname_class(const struct graph *g, graph_class klass);
/** "java.util.HashMap", "class java.lang.String", "java.lang.Thread \"main\"". Returns `ret`. */
const char *objname_of(struct graph *g, graph_object object, char ret[OBJNAME_ROOM]);
/** The same with the length of an array and the id: "java.lang.Object[] of 16 @ 0x7f0011223344";
 * "null" for GRAPH_NONE. Returns `ret`. */
const char *objname_full(struct graph *g, graph_object object, char ret[OBJNAME_ROOM]);
/** What makes an object a root: "thread \"main\"", "JNI local of thread \"main\"". Returns `ret`;
 * NULL: it is no root. */
const char *objname_root(struct graph *g, graph_object object, char ret[OBJNAME_ROOM]);
/** A word for a kind of reference, "static field" for example. Static. */
const char *objname_edge_kind(enum graph_edge_kind kind);
/** "field next", "element 12", "static field cache", "local of Main.run". Returns `ret`. */
const char *objname_edge(struct graph *g, const struct graph_edge *edge, char ret[OBJNAME_ROOM]);
/** "java.lang.Thread.sleep(Thread.java:340)". Returns `ret`. */
const char *objname_frame(const struct graph_frame *frame, char ret[OBJNAME_ROOM]);
/** A class loader: "boot loader", or its class and, if it has one, its name: "AppLoader \"app\"".
 * Returns `ret`. */
const char *objname_loader(struct graph *g, graph_object loader, char ret[OBJNAME_ROOM]);
/** The frame at a depth of a trace as a text. Returns false if there is none. */
bool objname_frame_at(struct graph *g, uint32_t trace, uint32_t depth, char ret[OBJNAME_ROOM]);

/** Writes a table "frames" of a trace, at most `most` of them. Returns how many frames the trace
 * has; without any nothing is written. */
uint32_t objname_put_frames(struct heapanswer *a, struct graph *g, const char *key,
                            const char *title, uint32_t trace, uint32_t most);
/**
 * Writes a shortest path from a root to an object: facts about the root and a table "path".
 *
 * Errors: those of graph_path().
 */
int objname_put_path(struct heapanswer *a, struct graph *g, graph_object object);
