/*
 * report_methods.h - tables of methods by their share of something, and of the hottest stacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct report_how;
struct summary_row;

/** What is counted. */
struct report_methods {
    const char *of;     /* behind the headings: "", or ": cpu=times" */
    const char *unit;   /* the column of the cost: samples, ms */
    uint64_t per_unit;  /* cost in one of them */
    const char *counts; /* the column of the count; NULL: none */
    uint64_t whole;     /* of which shares are taken */
    double percent_cut; /* of the stacks: their outer frames are missing from totals */
    bool is_inclusive;  /* costs hold those of callees: no shares, no totals */
};

/**
 * The tables of methods by their own and by their total cost, and of the hottest stacks. Sorts the
 * rows. Errors: 0, -ENOMEM.
 */
int report_methods(const struct report_how *r, const struct report_methods *m,
                   struct profile *profile, struct summary_row *rows, size_t count);
