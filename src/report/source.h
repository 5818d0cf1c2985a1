/*
 * source.h - sums a profile by the lines of one source file, finds that file, and checks whether it
 * is the one that was compiled.
 *
 * A folder of sources has either the tree of packages (src/main/java), or one folder with such a
 * tree for each module (src.zip of a JDK).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct profile;

enum { SOURCE_LINES = 1 << 16 }; /* a class file cannot have larger line numbers */

/** One source file, with what was measured in each line. */
struct source {
    char *path;             /* below a folder of sources: com/example/Main.java */
    uint64_t *self, *total; /* SOURCE_LINES values each; a line counts once in each stack */
    int32_t first, last;    /* if a method was named: its first and last line with values */
    bool is_method;
    uint64_t whole;            /* the sum of all stacks of the profile */
    struct source_call *calls; /* the methods that lines call by name, each once */
    size_t call_count, call_room;
};

struct source_call {
    int32_t line;
    const char *name; /* name of the method; owned by the profile */
};

/**
 * Adds up the lines of the file that `what` names. `what` is a method (com.example.Main.run, or the
 * end of it: Main.run), a class, or a file (Main.java, com/example/Main.java). If it fits several
 * files, the file with the largest value is used. `kind` and `value` as in struct writer_out.
 * Errors: 0; E_NOT_FOUND: nothing was measured there; E_UNSUPPORTED: the profile has no lines for
 * it; -ENOMEM. Owner: source_done(), also after an error.
 */
int source_read(struct source *s, struct profile *p, enum kind_id kind, uint32_t value,
                const char *what);
void source_done(struct source *s);
/** The line with the largest own value, or else with the largest total; 0: none. */
int32_t source_hottest(const struct source *s);
/** Finds `path` below one of `count` folders. Returns 0 and *ret_file, which the caller frees;
 * -ENOENT; -ENOMEM. */
int source_find(const char *const *folders, size_t count, const char *path, char **ret_file);
/** The first line of the profile that has no code in the file at `path`, or is after its end, or
 * does not name the method that it called (if most such lines do not). 0: there is none. Errors:
 * -errno, the file cannot be read. */
int32_t source_fit(const struct source *s, const char *path);
