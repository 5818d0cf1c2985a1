/*
 * options_format.h - the values of format=, and what the agent's files of each form can hold.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct options_format {
    const char *word;     /* the value of format= */
    const char *name;     /* the name of the format: struct format, `hprof formats` */
    const char *title;    /* in sentences: JFR */
    const char *suffixes; /* of a file= that means this format, separated by blanks */
    const char *file;     /* the name of the file if there is no file= */
    const char *suffix; /* the one that a process id is put in front of; "": the end of the name */
    uint32_t kinds;     /* the kinds of events that a file can hold: writer.kinds */
    char letter;        /* the value of options.format; 0: the end of the list */
    bool has_objects;   /* a file can hold a heap dump */
    /* Stacks are drawn from the outermost frame on: without depth= all frames are wanted. The
     * default of four frames is for formats that the original had. */
    bool is_drawn;
};

/** All rows; the last one has no letter. */
extern const struct options_format options_format_all[];
/** The row of a letter; the first row for another letter. */
const struct options_format *options_format_of(char letter);
/** The row with one of whose suffixes the name of a file ends; NULL: none. */
const struct options_format *options_format_of_file(const char *file);
