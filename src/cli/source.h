/*
 * source.h - what a profile says of the lines of a source file, and where that file is.
 *
 * A folder of sources has the tree of packages (src/main/java), or folders with one each (the
 * modules of a JDK's src.zip). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct profile;

enum { SOURCE_LINES = 1 << 16 }; /* a class file has no lines from there on */

/** Of one source file: what was measured in each line. */
struct source {
    char *path;             /* below a folder of sources: com/example/Main.java */
    uint64_t *self, *total; /* SOURCE_LINES of them; a line counts once a stack */
    int32_t first, last;    /* where a method was named: its lowest and highest line with values */
    bool is_method;
    uint64_t whole;            /* of all stacks of the profile */
    struct source_call *calls; /* what lines call by its name, each once */
    size_t call_count, call_room;
};

struct source_call {
    int32_t line;
    const char *name; /* of the method; the profile's */
};

/**
 * Adds up the lines of the file that `what` names: a method (com.example.Main.run, or the end of
 * that: Main.run), a class, a file (Main.java, com/example/Main.java). Of several files it is the
 * one with the largest value. `kind` and `value` as in struct format_out. Errors: 0; E_NOT_FOUND:
 * nothing was measured there; E_UNSUPPORTED: it was, but the profile has no lines; -ENOMEM.
 * Owner: source_done(), also after an error.
 */
int source_read(struct source *s, struct profile *p, enum kind_id kind, uint32_t value,
                const char *what);
void source_done(struct source *s);
/** The line of the file with the largest own value, or else the largest; 0: none. */
int32_t source_hottest(const struct source *s);
/** Finds `path` below one of `count` folders: 0 and *ret_file, the caller frees it; -ENOENT;
 * -ENOMEM. */
int source_find(const char *const *folders, size_t count, const char *path, char **ret_file);
