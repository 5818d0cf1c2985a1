/*
 * options_on.h - what the option of a trigger asks for: on what it fires, and what happens then.
 *
 * A value reads WHAT[:ACTION][:count=N], as in onthrow=java.io.IOException:dump:count=3. Each
 * trigger has a group of options (options_group.h) whose struct is a struct options_on, and one row
 * that may be given several times. docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
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
    char with[OPTIONS_ON_TEXT]; /* what stands behind "launch="; "" for the others */
    int times;                  /* so often it fires */
};

struct options_on {
    int count;
    struct options_on_one one[OPTIONS_ON_MAX];
};

/** What the values of one trigger's option are. */
struct options_on_kind {
    /** Why WHAT is none, or NULL; may write it in the form that the trigger wants. */
    const char *(*refuse)(char what[OPTIONS_ON_TEXT]);
    enum options_action action; /* where none is said */
    bool is_late;               /* it fires when nothing can begin any more, nor need end */
};

/** Keep one more. Errors: NULL, or the text of the error. For options_row.set. */
const char *options_on_add(struct options_on *to, const struct options_on_kind *kind,
                           const char *value);
/** For triggers that know nothing to choose from: NULL where WHAT is y, or n, which is none. */
const char *options_on_refuse_switch(char what[OPTIONS_ON_TEXT]);
/** For options_group.marks of each trigger. */
unsigned options_on_marks(int asked, const void *own);
/** "dump" */
const char *options_on_word(enum options_action action);

/** Whether the recording waits for a trigger to begin it. */
bool options_on_waits(const struct options *o);
/** Whether there is nothing but triggers: no file is wanted. */
bool options_on_is_alone(const struct options *o);
/** Leave triggers alone, but for those that end or write what has not begun: nothing is measured,
 * and nothing of it goes anywhere. */
void options_on_hold(struct options *o);
/** The recording that waited has begun: of its triggers it has those that end or write it; the
 * others are the one's that waits. */
void options_on_begun(struct options *o);
