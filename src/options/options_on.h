/*
 * options_on.h - the options of triggers: when a trigger fires, and what happens then.
 *
 * A value is WHAT[:ACTION][:count=N], for example onthrow=java.io.IOException:dump:count=3. Each
 * trigger has a group (options_group.h) whose struct is a struct options_on, and one row that may
 * be given several times. See docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "options/options_group.h"

enum { OPTIONS_ON_MAX = 8, OPTIONS_ON_TEXT = 512 };

enum options_action {
#define OPTIONS_ACTION(NAME, word, mark, takes, about) OPTIONS_ACTION_##NAME,
#include "options/options_action.def"
#undef OPTIONS_ACTION
    OPTIONS_ACTION_COUNT
};

struct options_on_one {
    char what[OPTIONS_ON_TEXT];
    enum options_action action;
    char with[OPTIONS_ON_TEXT]; /* the text after "launch="; "" for other actions */
    int times;                  /* how often it fires */
};

struct options_on {
    int count;
    struct options_on_one one[OPTIONS_ON_MAX];
};

/** options_group.defaults for each trigger: none. One for all, since it has 8 KB. */
extern const struct options_on options_on_none;

/** The rules for the values of one trigger's option. */
struct options_on_kind {
    /**
     * Returns why WHAT is wrong, or NULL. It may rewrite WHAT in the form that the trigger needs.
     */
    const char *(*refuse)(char what[OPTIONS_ON_TEXT]);
    enum options_action action; /* the default action */
    /* it fires at the end of the JVM, when nothing can begin or needs to end */
    bool is_late;
};

/** Add a trigger. Returns NULL, or the text of the error. For options_row.set. */
const char *options_on_add(struct options_on *to, const struct options_on_kind *kind,
                           const char *value);
/** Turn java.lang.String, in the first `len` bytes, into java/lang/String, in place. Returns false
 * if the name cannot be that of a class. */
bool options_on_read_class(char *name, size_t len);
/** `refuse` for triggers that have nothing to choose: WHAT must be y, or n for no trigger. */
const char *options_on_refuse_switch(char what[OPTIONS_ON_TEXT]);
/** options_group.marks for each trigger. */
unsigned options_on_marks(int asked, const void *own);
/** The word of an action, for example "dump". */
const char *options_on_word(enum options_action action);

/** Whether the recording waits for a trigger to begin it. */
bool options_on_waits(const struct options *o);
/** Whether the options have triggers and nothing else; then no file is needed. */
bool options_on_is_alone(const struct options *o);
/** Make options for a recording that waits: keep only triggers, without those that end or write a
 * recording that has not begun. Nothing is measured, and nothing is written. */
void options_on_hold(struct options *o);
/** Change the options of a recording that a trigger has begun: keep only the triggers that end or
 * write it. The other triggers stay with the recording that waits. */
void options_on_begun(struct options *o);
