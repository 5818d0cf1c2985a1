/*
 * jfc_tree.h - a .jfc file as a tree of its elements, to be changed and written again.
 *
 * Several files become one tree: the elements of each <configuration> follow one another, and each
 * element remembers of which document it is, since the controls of one do not govern the settings
 * of another. What the JDK does not know stays as it is; what it would refuse is refused here.
 * Knows neither files nor what a choice means (jfc_choice.h). Source: jdk.jfr, jfc.xsd, JDK 8
 * to 28. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

enum {
    JFC_TREE_DEPTH = 64,   /* elements within elements */
    JFC_TREE_REASON = 256, /* room of the reason of an error */
};

enum jfc_tree_kind {
    JFC_TREE_OTHER,
    JFC_TREE_AND,
    JFC_TREE_CONDITION,
    JFC_TREE_CONFIGURATION,
    JFC_TREE_CONTROL,
    JFC_TREE_EVENT,
    JFC_TREE_FLAG,
    JFC_TREE_NOT,
    JFC_TREE_OPTION,
    JFC_TREE_OR,
    JFC_TREE_SELECTION,
    JFC_TREE_SETTING,
    JFC_TREE_TEST,
    JFC_TREE_TEXT,
};

struct jfc_attribute {
    struct jfc_attribute *next;
    const char *name, *value;
};

struct jfc_element {
    struct jfc_element *parent, *next;
    struct jfc_element *children, *last; /* the first and the last of them */
    struct jfc_attribute *attributes;
    const char *name;
    const char *content; /* "": none */
    const char *before;  /* the content that it had before the first change; NULL: unchanged */
    enum jfc_tree_kind kind;
    unsigned document; /* 0: none, it was added */
};

struct jfc_tree {
    struct arena arena;
    struct jfc_element *root; /* <configuration> */
    unsigned documents;
};

/** Why a document was refused. */
struct jfc_tree_error {
    unsigned line; /* from 1 */
    char reason[JFC_TREE_REASON];
};

/** An empty <configuration>. Errors: 0, -ENOMEM. Owner: jfc_tree_done(), also after an error. */
int jfc_tree_init(struct jfc_tree *t);
void jfc_tree_done(struct jfc_tree *t);
/** Appends what the <configuration> of a document has. Errors: 0; E_SYNTAX with *ret_error;
 * -ENOMEM. */
int jfc_tree_read(struct jfc_tree *t, const char *text, size_t len,
                  struct jfc_tree_error *ret_error);
/** A new last child; `name` is copied. NULL: no memory. */
struct jfc_element *jfc_tree_add(struct jfc_tree *t, struct jfc_element *parent, const char *name);
/** The value of an attribute; NULL: there is none. */
const char *jfc_tree_attribute(const struct jfc_element *e, const char *name);
/** Errors of both: 0, -ENOMEM. The texts are copied. */
int jfc_tree_set_attribute(struct jfc_tree *t, struct jfc_element *e, const char *name,
                           const char *value);
int jfc_tree_set_content(struct jfc_tree *t, struct jfc_element *e, const char *content);
/** The next element of this kind within `under`, behind `e` in the document's order; `e` NULL: the
 * first. NULL: there is none. */
struct jfc_element *jfc_tree_next(const struct jfc_element *under, const struct jfc_element *e,
                                  enum jfc_tree_kind kind);
/** Whether an empty line is before and behind the element, as the JDK writes it. */
bool jfc_tree_stands_alone(const struct jfc_element *e);
