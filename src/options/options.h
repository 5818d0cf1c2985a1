/*
 * options.h - the option string of the agent: `name=value,name=value`.
 *
 * The grammar, defaults and error texts are those of the original HPROF agent, with its traps (a
 * name runs to the next '=', not to a comma). What is measured, and with which settings, the
 * engines own (options_group.h): here is what concerns all of them and the file. Knows no JVM: the
 * command, the fuzz target and the tests link it alone. Grammar and table: docs/man/hprof-agent.7.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct options_group;
struct options_own;
struct options_row;

enum {
    OPTIONS_VALUE = 4096,     /* longest value, as in the original */
    OPTIONS_DEPTH_MAX = 8192, /* deepest stack that can be asked for */
    OPTIONS_MESSAGE = 512,
};

struct options {
    bool help;                    /* the whole string was "help" */
    char format;                  /* 'a' text, 'b' binary or 'j' JFR */
    bool is_format_said;          /* it was given */
    bool has_settings;            /* settings of JFR events were given */
    char file[OPTIONS_VALUE + 1]; /* "" = java.hprof.txt or java.hprof */
    struct {
        char host[OPTIONS_VALUE + 1]; /* "" = no socket */
        int port;
    } net;
    int depth;
    uint64_t interval_ns;
    double cutoff; /* a fraction */
    bool lineno, thread, doe, force, verbose, errorexit;
    bool expand;                      /* %p and %t in file= */
    bool live, is_live_said;          /* of objects: only what can be reached; it was given */
    int idsize;                       /* bytes of ids in binary heap dumps; 0: as the heap needs */
    uint64_t mem_bytes;               /* budget of rings and tables; 0: by default */
    uint64_t duration_ns;             /* then it ends by itself; 0: it does not */
    char manifest[OPTIONS_VALUE + 1]; /* "" = none */
    struct options_own *own;          /* what the engines own */
};

/** What there is to say of an option string. */
struct options_error {
    char text[OPTIONS_MESSAGE]; /* why parsing failed: that of the original where it has one */
    char note[OPTIONS_MESSAGE]; /* what was passed over, in a sentence; "": nothing */
};

/**
 * Parse `line` (NULL: empty) joined with `environment` (the value of _JAVA_HPROF_OPTIONS, or NULL).
 *
 * Errors:  0, with the note in *ret_error; E_SYNTAX with its text; `ret` then holds what came
 * before the error (errorexit counts). Context: any.   Owner: options_done(ret), whatever comes
 * back.
 */
int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error);
void options_done(struct options *o);

/**
 * A name that nobody knows is a mistake also where it would have no effect. Errors: 0; E_NOT_FOUND
 * with *ret_error filled. Context: any.
 */
int options_check_names(const struct options *o, struct options_error *ret_error);

/**
 * The whole option string, as messages show it: `line`, a comma, `environment`; either may be NULL.
 * Errors: NULL without memory. Owner: the caller frees it.
 */
char *options_join(const char *line, const char *environment);

/** The row of that name, or NULL; *ret_group is its owner, NULL where that is no engine. */
const struct options_row *options_row_named(const char *name,
                                            const struct options_group **ret_group);

/** Bytes of an id in the file. `large_heap`: 2 000 000 000 bytes or more. */
int options_id_bytes(const struct options *o, int large_heap);
