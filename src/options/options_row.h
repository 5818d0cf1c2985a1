/*
 * options_row.h - one option as a row of a table: how its value is read, where it is kept, what the
 * help says of it, and the words with which a value is refused.
 *
 * Each owner has a table of rows: the agent as a whole (options_general.c) and each engine
 * (options_NAME.c). A row keeps its value in the owner's own struct, at an offset; the kind says as
 * what. The agent parses with these rows, `hprof run` checks with them, the help prints them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    OPTIONS_ROW_WORD = 16, /* room of a word with its end */
    OPTIONS_ROW_TEXT =
        4097, /* room of a text: the longest value, as in the original, and its end */
};

/** What a value is, and the type of the field that keeps it. */
enum options_row_kind {
    OPTIONS_ROW_SWITCH, /* y|n; bool */
    OPTIONS_ROW_NUMBER, /* whatever strtol() makes of it, as in the original; long */
    OPTIONS_ROW_COUNT,  /* decimal, `least` to `most`; int */
    OPTIONS_ROW_SIZE,   /* bytes with a unit, `least` to `most`; uint64_t */
    OPTIONS_ROW_TIME,   /* with a unit, a bare number is milliseconds, `least` on; uint64_t of ns */
    OPTIONS_ROW_SECONDS,  /* the same, but a bare number is seconds, and no sign is taken */
    OPTIONS_ROW_RATE,     /* "150/s" or off, as settings of JFR have it; double, per second */
    OPTIONS_ROW_FRACTION, /* floating point, 0 or more; double */
    OPTIONS_ROW_WORD_OF,  /* one of `names`, or of what `refuse` lets pass; char[OPTIONS_ROW_WORD].
                             Looked at after the parse, also where it has no effect */
    OPTIONS_ROW_TEXT_OF,  /* anything; char[OPTIONS_ROW_TEXT] */
    OPTIONS_ROW_CHOICE,   /* one of `choices`; int */
    OPTIONS_ROW_ASK,      /* a word that asks engines to measure: options_group.h */
    OPTIONS_ROW_ASKS,     /* several of them */
    OPTIONS_ROW_SETTINGS, /* settings of JFR events: options_settings.h */
    OPTIONS_ROW_OWN,      /* as `set` has it */
};

/** Where the help has a row. */
enum options_row_part {
    OPTIONS_ROW_QUIET,    /* nowhere: accepted in silence */
    OPTIONS_ROW_MEASURED, /* what is measured: first */
    OPTIONS_ROW_ORIGINAL, /* the original's, in its order */
    OPTIONS_ROW_NEW,      /* what the original does not have */
    OPTIONS_ROW_PARTS,
};

/** What several recordings at once make of their values. */
enum options_row_share {
    OPTIONS_ROW_FIXED,         /* all have the same: a later one that differs is refused */
    OPTIONS_ROW_FIXED_IF_SAID, /* the same, but one that says nothing takes what there is */
    OPTIONS_ROW_APART,         /* each has its own */
    OPTIONS_ROW_LEAST,         /* each has its own, and measured is with the least of them; */
    OPTIONS_ROW_MOST,          /* with the greatest, of a switch y */
};

struct options_row_choice {
    const char *word; /* NULL at the end */
    int value;
};

struct options_row {
    const char *name; /* NULL at the end of a table */
    enum options_row_kind kind;
    enum options_row_part part;
    enum options_row_share share;
    bool is_unused; /* checked and then forgotten: it had a meaning in the original */
    size_t at;      /* offset of its field in the owner's struct */
    size_t said_at; /* of a bool there that tells whether a value was given; 0: nobody asks. Of OWN
                       `set` sets it */
    const char *values, *about, *shown; /* the columns of the help: values, what for, default. Of
                                           ASK: what comes behind the engines' words; the names of
                                           WORD_OF follow `about` */
    const char *missing;  /* the error text for an empty value; NULL: it is looked at like others.
                             Of ASK: what comes before the option and its words */
    const char *wrong;    /* for a value that is none; NULL: made from the name and the kind */
    const char *beyond;   /* for one below `least` or above `most`; NULL: as `wrong` */
    uint64_t least, most; /* `most` 0: the type's */
    const char *what; /* of WORD_OF: what the names are, for "no WHAT x: use ..."; of ASK: a word
                         that messages list before the others, and the help does not */
    const char *const *names;                /* of WORD_OF, NULL at the end */
    const char *(*refuse)(const char *word); /* of WORD_OF instead of names: why not, or NULL */
    const struct options_row_choice *choices;
    const char *(*set)(void *into, const char *value); /* NULL, or the error text */
    /* Without what it has no effect: 0: the engine whose it is, or those that its owner serves. */
    unsigned acts_with; /* enum options_mark: it acts where one of these is asked for */
};

/**
 * Keep `value` in the owner's struct `into`. Errors: 0; E_SYNTAX with the reason in `ret_why`.
 * Context: any. Not for rows that ask (OPTIONS_ROW_ASK, OPTIONS_ROW_ASKS).
 */
int options_row_set(const struct options_row *row, void *into, const char *value, char *ret_why,
                    size_t size);
/** Whether a value of a RATE row is "off". */
bool options_row_is_unbounded(double rate);
/** Whether `own` holds another value than `defaults`, both of the row's owner. Context: any. */
bool options_row_is_given(const struct options_row *row, const void *own, const void *defaults);
/**
 * Whether a WORD_OF row knows `word`; "" is known. Errors: 0; E_NOT_FOUND with the reason in
 * `ret_why`. Context: any.
 */
int options_row_check(const struct options_row *row, const char *word, char *ret_why, size_t size);
/** Copies the value from one struct of the row's owner to another. Not for rows that ask, nor for
 * OPTIONS_ROW_OWN. */
void options_row_copy(const struct options_row *row, void *into, const void *from);
/** The value, of a row whose values are numbers or switches; else 0. */
double options_row_number(const struct options_row *row, const void *own);
/** Writes the value as settings of JFR have it, "20 ms" or "150/s"; "" where its kind has no such
 * form. */
void options_row_say(const struct options_row *row, const void *own, char *ret, size_t size);
/** Writes "a, b or c" behind `text`. */
void options_row_list(char *text, size_t size, const char *const *names);
