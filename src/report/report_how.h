/*
 * report_how.h - where a report is printed and how much of it: settings for all its tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tabular_out;

struct report_how {
    FILE *out;
    struct tabular_out *rows; /* gets the rows of the tables; NULL: only text is wanted */
    size_t width;             /* columns; 0: lines may be of any length */
    uint32_t top;             /* rows of each table of methods; 0: no such tables */
    uint32_t traces;          /* number of stacks */
    /* Print all counts about the quality, also those that the user cannot improve. */
    bool is_verbose;
    int with_hidden; /* also show frames of method handles, lambdas and reflection */
    bool is_damaged; /* the file is damaged, which was reported */
};
