/*
 * jfc_tree.h - a .jfc file as a tree of its elements, which can be changed and written again.
 *
 * Several files become one tree: the elements of their <configuration> follow one another. Each
 * element knows the document that it comes from, because the controls of one document do not govern
 * the settings of another. Elements that the JDK does not know stay unchanged; a document that the
 * JDK would refuse is refused here. This file does not open files, and it does not know what a
 * choice means (jfc_choice.h).
 *
 * The agent has a reader of its own (options/jfc.h), and the JDK has two as well. A JVM that begins
 * a recording takes the settings of a file one by one and passes over all else; the agent's reader
 * does the same and allocates nothing. Only `jfr configure` builds a tree and refuses what does not
 * fit. Source: jdk.jfr, jfc.xsd, JDK 8 to 28.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "base/arena.h"

struct textbuf;

enum {
    JFC_TREE_DEPTH = 64,   /* deepest nesting of elements */
    JFC_TREE_REASON = 256, /* bytes for the reason of an error */
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
    struct jfc_element *children, *last; /* the first child and the last child */
    struct jfc_attribute *attributes;
    const char *name;
    const char *content; /* "": none */
    const char *before;  /* the content before the first change; NULL: unchanged */
    enum jfc_tree_kind kind;
    unsigned document; /* number of its document; 0: none, the element was added */
};

struct jfc_tree {
    struct arena arena;
    struct jfc_element *root; /* the <configuration> element */
    unsigned documents;
};

/** The reason why a document was refused. */
struct jfc_tree_error {
    unsigned line; /* counted from 1 */
    char reason[JFC_TREE_REASON];
};

/** Makes a tree with an empty <configuration>. Errors: 0, -ENOMEM. Owner: jfc_tree_done(), also
 * after an error. */
int jfc_tree_init(struct jfc_tree *t);
void jfc_tree_done(struct jfc_tree *t);
/** Appends the elements in the <configuration> of a document. Errors: 0; E_SYNTAX with *ret_error;
 * -ENOMEM. */
int jfc_tree_read(struct jfc_tree *t, const char *text, size_t len,
                  struct jfc_tree_error *ret_error);
/** Adds a last child to `parent`; `name` is copied. NULL: no memory. */
struct jfc_element *jfc_tree_add(struct jfc_tree *t, struct jfc_element *parent, const char *name);
/** The value of an attribute of `e`; NULL: there is none. */
const char *jfc_tree_attribute(const struct jfc_element *e, const char *name);
/** Both functions copy the texts. Errors of both: 0, -ENOMEM. */
int jfc_tree_set_attribute(struct jfc_tree *t, struct jfc_element *e, const char *name,
                           const char *value);
int jfc_tree_set_content(struct jfc_tree *t, struct jfc_element *e, const char *content);
/** The next element of this kind below `under`, after `e` in the order of the document; `e` NULL:
 * the first. NULL: there is none. */
struct jfc_element *jfc_tree_next(const struct jfc_element *under, const struct jfc_element *e,
                                  enum jfc_tree_kind kind);
/** Writes the tree as the text of a .jfc file. The text equals that of `jfr configure` of JDK 17 to
 * 28 for the same elements, byte for byte, except for comments. */
void jfc_tree_write(const struct jfc_tree *t, struct textbuf *to);
