/*
 * hprof_serial.h - the serial numbers by which HPROF files name classes, threads and traces.
 *
 * The model knows rows by their ids only; serial numbers are made when a file is written. A row
 * that was read from an HPROF file keeps the number that it has there: the readers attach these
 * numbers to the profile (hprof_file.h). Other rows are numbered in the order of the model: trace 1
 * is 300000, trace 2 is 300001. Threads bring their own numbers (profile_thread.serial); the agent
 * counts them from 200001.
 * Source of the first numbers: the original HPROF agent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct profile;

enum {
    HPROF_SERIAL_CLASS = 100000,          /* the first class */
    HPROF_SERIAL_THREAD_UNKNOWN = 200000, /* reserved; the first real thread, main, is 200001 */
    /* reserved for the empty trace: everything of unknown origin */
    HPROF_SERIAL_TRACE_SYSTEM = 300000,
};

/** The numbers that a file gives to the rows of one table. */
struct hprof_serial_rows {
    struct table rows;   /* uint32_t by id: the number */
    struct lookup index; /* ids by number; of classes it is empty */
    uint32_t next;       /* the largest number + 1, for rows without a number */
};

/** The name of the attachment of a profile that was read from an HPROF file. */
#define HPROF_SERIAL_ATTACHMENT "hprof"

/** The attachment (struct hprof_file) begins with these numbers. */
struct hprof_serial {
    struct hprof_serial_rows classes, traces;
};

/** The number of a class; 0 for class 0. Context: any. */
uint32_t hprof_serial_class(const struct profile *p, class_id klass);
/** The number of a trace; 0 for trace 0. Context: any. */
uint32_t hprof_serial_trace(const struct profile *p, trace_id trace);
