/*
 * classgroup.h - classes put together: each class by itself, those of one class loader, those of
 * one package.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "heap/graph.h"
#include "heap/question.h"

struct heapanswer;

struct classgroup {
    enum question_by by;
    uint32_t count;     /* groups */
    uint32_t *group_of; /* by class */
    graph_class *klass; /* by group: one of its classes */
};

/** A word for each: "class", "loader", "package"; "classes", "loaders", "packages". Static. */
const char *classgroup_word(enum question_by by);
const char *classgroup_words(enum question_by by);
/** Errors: 0; E_LIMIT: no memory. Owner: classgroup_done(), also after an error. */
int classgroup_make(struct graph *g, enum question_by by, struct classgroup *ret);
void classgroup_done(struct classgroup *c);
/** The group of an object: that of its class; of a class object that of the class it stands for; of
 * a class loader that of its own classes. UINT32_MAX: its class is unknown. */
uint32_t classgroup_of(const struct classgroup *c, const struct graph *g,
                       const struct graph_info *object);
/** The name of a group: that of the class or loader, "java.util", "(primitive arrays)"; "" for
 * classes without a package. Borrowed from the graph, or in `room`. */
const char *classgroup_name(const struct classgroup *c, struct graph *g, uint32_t group, char *room,
                            size_t room_bytes);
/** Writes the cells of a group: the id of its loader, if groups are loaders, and its name. */
void classgroup_put_cells(struct heapanswer *a, const struct classgroup *c, struct graph *g,
                          uint32_t group);
