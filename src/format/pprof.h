/*
 * pprof.h - the fields of profile.proto, and the labels by which its samples keep what is no stack.
 *
 * Source: github.com/google/pprof, proto/profile.proto. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct format_in;

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

#define PPROF_LABEL_THREAD "thread"       /* its name */
#define PPROF_LABEL_THREAD_ID "thread_id" /* its number */
#define PPROF_LABEL_CLASS "class"         /* of objects */
#define PPROF_LABEL_TEXT "text"           /* a monitor, the cause of a collection */
#define PPROF_LABEL_KIND "kind"           /* of event: kind.word */
#define PPROF_LABEL_PROCESS "process"     /* the name of the thread's, where there are several */
#define PPROF_LABEL_PID "pid"             /* its number, if known */
#define PPROF_LABEL_CONTEXT "context"     /* before the name of a key that is called as one above */

/** Whether a label of this name is one of the above, and no key of a context. */
bool pprof_in_has_own_label(const char *name);

/** Reading, as struct format has it. */
int pprof_in_probe(const unsigned char *bytes, size_t len);
int pprof_in_open(struct format_in *in);
int pprof_in_next(struct format_in *in);
void pprof_in_close(struct format_in *in);
