/*
 * report_how.h - where a report goes, and how much of it is wanted: what all its tables are told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct report_how {
    FILE *out;
    size_t width;    /* columns; 0: lines may be of any length */
    uint32_t top;    /* rows per table of methods; 0: no such tables */
    uint32_t traces; /* how many stacks */
    bool is_verbose; /* all counts of the quality, not only what can be done about them */
    int with_hidden; /* frames of method handles, lambdas and reflection, too */
    bool is_damaged; /* the file, and that has been said */
};
