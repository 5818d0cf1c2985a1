/*
 * report.h - the summary of one profile, printed for people.
 *
 * `hprof run` and `hprof report` print the same text: what the file has and how far it can be
 * trusted, then a table for each kind of table in it: methods by samples and by times, contended
 * monitors, the threads of the last dump, allocation sites; and the hottest stacks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

struct report {
    FILE *out;
    size_t width;    /* columns; 0: lines may be of any length */
    uint32_t top;    /* rows per table of methods; 0: no such tables */
    uint32_t traces; /* how many stacks */
    int is_verbose;  /* all counts of the quality, not only what can be done about them */
    int with_hidden; /* frames of method handles, lambdas and reflection, too */
    int is_damaged;  /* the file, and that has been said */
};

/** The columns of the terminal behind `out`, or 0 if it is none. $COLUMNS goes first. */
size_t report_width(FILE *out);

/**
 * Prints under `title`. Errors: 0; -ENOMEM. What cannot be written shows in ferror(out).
 */
int report_print(const struct report *report, const char *title, struct profile *profile);
