/*
 * convert.h - writes a profile in a format of the registry.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "report/shown.h"

struct format;
struct writer_out;
struct gather_file;
struct load_how;
struct profile;
struct series;

struct convert {
    const char *command;         /* the command that messages begin with */
    const struct format *format; /* a format that can be written */
    const struct series *series; /* the series to write; NULL: see `first` */
    /* This series if the profile has it, else the profile's first series; NULL: the latter. */
    const struct series *first;
    /* The file that holds all series, for a message if `path` shows only one; NULL: no message. */
    const char *rest;
    /* "-": standard output. If the path ends in ".gz", the file is packed by gzip. A file that has
     * this name is moved aside. */
    const char *path;
    /* Write the events of these types (names as in load.h); NULL: write a series. */
    const char *drawn;
    /* The types of single events, if the format shows single events: names separated by commas, in
     * which * stands for any text. NULL: all types, if all series are written. */
    const char *types;
    struct shown_how how; /* for formats that people look at */
    bool with_tiers;      /* a method becomes one frame for each way in which it ran */
    bool has_dots;        /* package names are separated by dots, where the format has slashes */
};

/** Whether the profile has the wanted series. If not, says which series it has. */
bool convert_has(const char *source, const struct series *wanted, struct profile *profile);

/** Writes the content of the file; `with` comes from the caller. Errors: 0, negative. */
typedef int convert_writer(struct writer_out *o, const struct convert *c, void *with);
/**
 * Calls `write` to fill the file that `c` names; o->sink is set during the call. A file that could
 * not be written completely is removed. Errors: 0, or negative after saying why.
 */
int convert_with(const struct convert *c, struct writer_out *o, convert_writer *write, void *with);
/** Sets in `how` what must be read of a file for this output: its times, contexts and so on. */
void convert_want(const struct convert *c, struct load_how *how);
/** The series of the events of these types that is written. NULL: the profile has none, after
 * saying so. */
const struct series *convert_drawn(const char *source, const char *types, struct profile *profile);
/** The name of a file on a page: without its folders. */
const char *convert_title(const char *path);
/**
 * Writes the profile that was read from `source`. Frames are written as people read them, with C++
 * names demangled. A file that could not be written completely is removed. Errors: 0, or negative
 * after saying why.
 */
int convert_write(const struct convert *c, const char *source, struct profile *profile);
/**
 * Reads the file as `how` says, with threads and times if the format shows them, and writes it.
 * *ret_is_empty (which may be NULL) is set if the file has nothing that can be written; then no
 * message is printed.
 * Errors: 0, or negative after saying why; E_TRUNCATED: the readable part was written.
 */
int convert_file(const struct convert *c, const char *path, const struct load_how *how,
                 bool *ret_is_empty);
/** Works like convert_file(), for several files in one picture, which are kept apart as gather.h
 * says. Errors: as above. */
int convert_files(const struct convert *c, const struct gather_file *files, size_t count,
                  const struct load_how *how);
