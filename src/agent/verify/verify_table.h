/*
 * verify_table.h - what a verify run has counted, an example of each disagreement, and the report.
 *
 * Handlers and threads add; the report is written once, when everything is quiet: lines of fields
 * separated by tabs, appended to the file that verify= names. `hprof verify` reads it:
 * docs/verify.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/verify/verify_compare.h"
#include "safe/walk.h"

enum verify_count {
#define COUNT(name, layer, word, text) VERIFY_##name,
#include "agent/verify/verify_count.def"
#undef COUNT
    VERIFY_COUNT_COUNT
};

/** Who is wrong about a stack. */
enum verify_blame { VERIFY_THEIRS, VERIFY_OURS, VERIFY_UNDECIDED, VERIFY_BLAME_COUNT };

enum { VERIFY_EXAMPLE_FRAMES = 16 };

/** Where a thread was: what the code cache says of its pc. */
struct verify_place {
    uint64_t pc;     /* 0 at a safepoint */
    uint32_t offset; /* from the start of the code */
    int32_t frame_size, frame_complete;
    uint8_t is_code;         /* else C code, or nothing known */
    unsigned char bytes[24]; /* of the code, from 8 before pc on */
    char name[40];
};

/** Two stacks of one moment, from two frames before the difference on. */
struct verify_example {
    uint32_t state;            /* of the thread, enum hs_thread_state */
    uint32_t at;               /* index of the first difference */
    uint32_t from, other_from; /* index of the first frame kept of each */
    uint32_t our_count, count; /* frames kept of each */
    uint32_t our_total, total; /* frames there were */
    int32_t cause;             /* of a failed walk, enum walk_cause; else -1 */
    struct verify_place place;
    struct verify_frame ours[VERIFY_EXAMPLE_FRAMES], theirs[VERIFY_EXAMPLE_FRAMES];
};

/** Context: signal. */
void verify_table_add(enum verify_count count, uint64_t n);
uint64_t verify_table_get(enum verify_count count);
void verify_table_add_failure(enum walk_cause cause, int at_safepoint);
/** AsyncGetCallTrace gave this number (0 to -10, as a positive one) instead of a stack. */
void verify_table_add_asgct_failure(uint32_t code);
/** AsyncGetCallTrace gave another stack than the walk. */
void verify_table_add_difference(enum verify_kind kind, enum verify_blame blame);

/**
 * The place for the example of a class of disagreements, given to the first who asks; then NULL.
 * `confirmed`: show it for sure; else verify_table_confirm() must follow.
 */
struct verify_example *verify_table_example(const char *layer, const char *word, int confirmed);
struct verify_example *verify_table_difference_example(enum verify_kind kind,
                                                       enum verify_blame blame);
void verify_table_confirm(struct verify_example *e);

/** Names frames for the report. Context: any, not signal. Writes less than `size` bytes. */
typedef void verify_table_name(void *context, const struct verify_frame *f, char *text, int size);

/** One line "begin": this process is being verified. Errors: 0, -errno. */
int verify_table_begin(const char *path);
/** Everything, and a line "end". Errors: 0, -errno. */
int verify_table_write(const char *path, uint32_t jdk, verify_table_name *name, void *context);
