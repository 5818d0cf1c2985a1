/*
 * verify_report.h - reads the agents' report of a verify run, adds up the counts of all JVMs, and
 * prints them.
 *
 * The report has lines of fields separated by tabs: docs/verify.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct verify_report_count {
    char *layer, *word, *text;
    uint64_t value;
};

struct verify_report_frame {
    int of_walk; /* 1: of the walk; 0: of the other source */
    uint64_t index;
    char *text;
};

struct verify_report_example {
    char *layer, *word, *state, *place, *cause;
    uint64_t at; /* index of the first difference */
    struct verify_report_frame *frames;
    size_t frame_count;
};

struct verify_report {
    struct verify_report_count *counts;
    size_t count_count;
    struct verify_report_example *examples;
    size_t example_count;
    unsigned begun, ended; /* numbers of JVMs */
    unsigned jdk;          /* the JDK of the last JVM */
};

/** Reads the report. Errors: 0; -errno. Owner: verify_report_close(), whatever is returned. */
int verify_report_read(const char *path, struct verify_report *ret);
void verify_report_close(struct verify_report *r);

/** A count; 0 if it is not in the report. */
uint64_t verify_report_get(const struct verify_report *r, const char *layer, const char *word);

enum verify_report_verdict {
    VERIFY_REPORT_MET,
    VERIFY_REPORT_MISSED,  /* a target was missed */
    VERIFY_REPORT_NOTHING, /* too little ran for a verdict */
    VERIFY_REPORT_DIED,    /* a JVM ended without a report */
};

/** Whether the targets are met: docs/verify.md. */
enum verify_report_verdict verify_report_judge(const struct verify_report *r);
/** How many comparisons of layer `layer` came to a judgement, and how many of these agreed. */
void verify_report_share(const struct verify_report *r, const char *layer, uint64_t *ret_judged,
                         uint64_t *ret_agreed);
void verify_report_put_table(FILE *out, const struct verify_report *r);
/** Prints one object; docs/verify.md describes its names. */
void verify_report_put_json(FILE *out, const struct verify_report *r);
