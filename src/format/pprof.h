/*
 * pprof.h - the fields of profile.proto, and the labels that hold what a sample has besides its
 * stack.
 *
 * Source: github.com/google/pprof, proto/profile.proto.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct reader_in;

enum {
    PPROF_SAMPLE_TYPE = 1,
    PPROF_SAMPLE = 2,
    PPROF_MAPPING = 3,
    PPROF_LOCATION = 4,
    PPROF_FUNCTION = 5,
    PPROF_STRING = 6,
    PPROF_TIME = 9,
    PPROF_DURATION = 10,
    PPROF_PERIOD_TYPE = 11,
    PPROF_PERIOD = 12,
    PPROF_COMMENT = 13,
    PPROF_DEFAULT_TYPE = 14,
    PPROF_FIELDS = 16,
};
enum { PPROF_TYPE = 1, PPROF_UNIT = 2 };
enum { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE = 2, PPROF_SAMPLE_LABEL = 3 };
enum { PPROF_KEY = 1, PPROF_TEXT = 2, PPROF_NUMBER = 3 };
enum { PPROF_MAPPING_ID = 1, PPROF_MAPPING_FILE = 5 };
enum { PPROF_HAS_FUNCTIONS = 7, PPROF_HAS_FILES, PPROF_HAS_LINES, PPROF_HAS_INLINES };
enum { PPROF_LOCATION_ID = 1, PPROF_LOCATION_MAPPING = 2, PPROF_LOCATION_LINE = 4 };
enum { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2 };
enum {
    PPROF_FUNCTION_ID = 1,
    PPROF_FUNCTION_NAME = 2,
    PPROF_FUNCTION_SYSTEM = 3,
    PPROF_FUNCTION_FILE = 4,
};

#define PPROF_LABEL_THREAD "thread"       /* name of the thread */
#define PPROF_LABEL_THREAD_ID "thread_id" /* number of the thread */
#define PPROF_LABEL_CLASS "class"         /* class of the objects */
#define PPROF_LABEL_TEXT "text"           /* a monitor, or the cause of a garbage collection */
#define PPROF_LABEL_KIND "kind"           /* kind of the event: kind.word */
/* The name of the thread's process, if there are several processes. */
#define PPROF_LABEL_PROCESS "process"
#define PPROF_LABEL_PID "pid" /* number of the process, if it is known */
/* Stands in front of a context key that has one of the names above. */
#define PPROF_LABEL_CONTEXT "context"

/** Whether this is the name of a label of hprof, so that it cannot name a context key. */
bool pprof_in_has_own_label(const char *name);

/** The functions for reading, as in struct format. */
int pprof_in_probe(const unsigned char *bytes, size_t len);
int pprof_in_open(struct reader_in *in);
int pprof_in_next(struct reader_in *in);
void pprof_in_close(struct reader_in *in);
