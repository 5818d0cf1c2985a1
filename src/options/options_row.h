/*
 * options_row.h - one option as a row of a table: how its value is parsed, where it is stored, what
 * the help says, and the messages for wrong values.
 *
 * Each owner has a table of rows: the agent as a whole (options_general.c) and each engine
 * (options_NAME.c). A row stores its value in the owner's struct at an offset; the kind tells the
 * type. The agent parses with these rows, `hprof run` checks with them, and the help prints them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    OPTIONS_ROW_WORD = 16, /* bytes for a word with its final 0 */
    OPTIONS_ROW_TEXT =
        4097, /* bytes for a text: the longest value, as in the original, and its final 0 */
};

/** The kind of a value, and the type of the field that stores it. */
enum options_row_kind {
    OPTIONS_ROW_SWITCH, /* y|n; bool */
    /* whatever strtol() accepts, as in the original; long */
    OPTIONS_ROW_NUMBER,
    OPTIONS_ROW_COUNT, /* decimal, from `least` to `most`; int */
    OPTIONS_ROW_SIZE,  /* bytes with a unit, from `least` to `most`; uint64_t */
    /* with a unit, `least` or more; a bare number is in milliseconds; uint64_t of ns */
    OPTIONS_ROW_TIME,
    /* the same, but a bare number is in seconds, and a sign is an error */
    OPTIONS_ROW_SECONDS,
    /* "150/s" or off, as in settings of JFR; double, per second */
    OPTIONS_ROW_RATE,
    OPTIONS_ROW_FRACTION, /* floating point, 0 or more; double */
    /* one of `names`, or a word that `refuse` accepts; char[OPTIONS_ROW_WORD]. Checked after
     * parsing, even if it has no effect */
    OPTIONS_ROW_WORD_OF,
    OPTIONS_ROW_TEXT_OF, /* any text; char[OPTIONS_ROW_TEXT] */
    OPTIONS_ROW_CHOICE,  /* one of `choices`; int */
    /* a word that asks engines to measure: options_group.h */
    OPTIONS_ROW_ASK,
    OPTIONS_ROW_ASKS,     /* several such words */
    OPTIONS_ROW_SETTINGS, /* settings of JFR events: options_settings.h */
    OPTIONS_ROW_OWN,      /* `set` parses it */
};

/** The part of the help that lists a row. */
enum options_row_part {
    OPTIONS_ROW_QUIET,    /* not listed; accepted silently */
    OPTIONS_ROW_MEASURED, /* what is measured; comes first */
    OPTIONS_ROW_ORIGINAL, /* options of the original, in its order */
    OPTIONS_ROW_NEW,      /* options that the original does not have */
    OPTIONS_ROW_PARTS,
};

/** The rules for several recordings at one time that give different values. */
enum options_row_share {
    /* all must have the same value: a later recording with another value is refused */
    OPTIONS_ROW_FIXED,
    /* the same, but a recording that does not give the option takes the existing value */
    OPTIONS_ROW_FIXED_IF_SAID,
    OPTIONS_ROW_APART, /* each has its own value */
    /* each has its own value; the smallest of all is used for measuring */
    OPTIONS_ROW_LEAST,
    /* each has its own value; the greatest is used for measuring; for a switch y */
    OPTIONS_ROW_MOST,
};

struct options_row_choice {
    const char *word; /* NULL: the end */
    int value;
};

struct options_row {
    const char *name; /* NULL: the end of the table */
    enum options_row_kind kind;
    enum options_row_part part;
    enum options_row_share share;
    /* the original had it: the value is checked and then ignored */
    bool is_unused;
    size_t at; /* offset of its field in the owner's struct */
    /* offset of a bool there that tells whether a value was given; 0: there is none. For OWN rows
     * `set` sets the bool */
    size_t said_at;
    /* the columns of the help: values, description, default. For ASK rows `values` comes after the
     * engines' words; the names of WORD_OF follow `about` */
    const char *values, *about, *shown;
    /* the error text for an empty value; NULL: it is checked like other values. For ASK rows: the
     * text in front of the option and its words */
    const char *missing;
    /* the error text for a wrong value; NULL: made from the name and the kind */
    const char *wrong;
    /* the error text for a value below `least` or above `most`; NULL: like `wrong` */
    const char *beyond;
    uint64_t least, most; /* `most` 0: the limit of the type */
    /* WORD_OF: what the names are, for "no WHAT x: use ..."; ASK: a word that messages list first
     * and the help does not list */
    const char *what;
    const char *const *names; /* WORD_OF: the names; NULL at the end */
    /* WORD_OF, in place of `names`: returns why the word is wrong, or NULL */
    const char *(*refuse)(const char *word);
    const struct options_row_choice *choices; /* CHOICE; OWN: words that `set` takes, or NULL */
    const char *(*set)(void *into, const char *value); /* returns NULL, or the error text */
    /* enum options_mark: the row has an effect if one of these is asked for. 0: if the engine that
     * owns it, or one that its owner serves, is asked for */
    unsigned acts_with;
};

/**
 * Store `value` in the owner's struct `into`. Not for rows that ask (OPTIONS_ROW_ASK,
 * OPTIONS_ROW_ASKS). Errors: 0; E_SYNTAX with the reason in `ret_why`. Context: any.
 */
int options_row_set(const struct options_row *row, void *into, const char *value, char *ret_why,
                    size_t size);
/** Whether the value of a RATE row is "off". */
bool options_row_is_unbounded(double rate);
/** Whether the value in `own` differs from that in `defaults`; both are structs of the row's owner.
 * Context: any. */
bool options_row_is_given(const struct options_row *row, const void *own, const void *defaults);
/**
 * Whether a WORD_OF row knows `word`; "" is known. Errors: 0; E_NOT_FOUND with the reason in
 * `ret_why`. Context: any.
 */
int options_row_check(const struct options_row *row, const char *word, char *ret_why, size_t size);
/** Copy the value from one struct of the row's owner to another. Not for rows that ask, nor for
 * OPTIONS_ROW_OWN. */
void options_row_copy(const struct options_row *row, void *into, const void *from);
/** The value of a row whose values are numbers or switches; 0 for other rows. */
double options_row_number(const struct options_row *row, const void *own);
/** Write the value as in settings of JFR, "20 ms" or "150/s"; "" if its kind has no such form. */
void options_row_say(const struct options_row *row, const void *own, char *ret, size_t size);
/** Append "a, b or c" to `text`. */
void options_row_list(char *text, size_t size, const char *const *names);
