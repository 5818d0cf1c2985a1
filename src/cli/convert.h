/*
 * convert.h - a profile written in a format of the registry.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "cli/shown.h"

struct format;
struct format_out;
struct gather_file;
struct load_how;
struct profile;
struct series;

struct convert {
    const char *command;         /* whose messages there are */
    const struct format *format; /* one that can be written */
    const struct series *series; /* what is written; NULL: `first`, */
    const struct series *first;  /* if the profile has it, else its own first; NULL: that, too */
    const char *rest; /* who has the values that `path` has no place for; NULL: nobody asks */
    /* "-": standard output; packed by gzip if it ends in ".gz"; what has the name is moved aside */
    const char *path;
    const char *drawn;    /* events of these types are written, as load.h has them; NULL: none */
    const char *types;    /* of single events, where the format shows them: names with * parted by
                           * commas; NULL: all, where all series are written */
    struct shown_how how; /* of formats for people to look at */
    bool with_tiers;      /* a method is a frame for each way in which it ran */
    bool has_dots;        /* packages are parted by dots, where the format has slashes */
};

/** Whether the profile has any of what is wanted; false after saying what it has. */
bool convert_has(const char *source, const struct series *wanted, struct profile *profile);

/** Writes what is in the file, `with` being the caller's. Errors: 0, negative. */
typedef int convert_writer(struct format_out *o, const struct convert *c, void *with);
/**
 * Has `write` fill the file that `c` names; o->sink is set meanwhile. A file that could not be
 * written whole is removed. Errors: 0, or negative after saying why.
 */
int convert_with(const struct convert *c, struct format_out *o, convert_writer *write, void *with);
/** What has to be read of a file for what is written: its times, contexts and so on. */
void convert_want(const struct convert *c, struct load_how *how);
/** The value of the events of these types that is written; NULL: there are none, which was said. */
const struct series *convert_drawn(const char *source, const char *types, struct profile *profile);
/** What a page calls a file: its name without folders. */
const char *convert_title(const char *path);
/**
 * Writes the profile that was read from `source`: frames as people read them, C++ names demangled.
 * A file that could not be written whole is removed. Errors: 0, or negative after saying why.
 */
int convert_write(const struct convert *c, const char *source, struct profile *profile);
/**
 * Reads the file as `how` says, with threads and times where the format shows them, and writes it.
 * *ret_is_empty, which may be NULL: it has nothing that could be written, and that was not said.
 * Errors: 0, or negative after saying why; E_TRUNCATED: what is whole was written.
 */
int convert_file(const struct convert *c, const char *path, const struct load_how *how,
                 bool *ret_is_empty);
/** The same of several files in one picture, kept apart as gather.h says. Errors: as above. */
int convert_files(const struct convert *c, const struct gather_file *files, size_t count,
                  const struct load_how *how);
