/*
 * verify_table.h - the counts of a verify run, an example of each disagreement, and the report.
 *
 * Handlers and threads add counts. The report is written once, when nothing is counted any more:
 * lines of fields separated by tabs, appended to the file that verify= names. `hprof verify` reads
 * this file: docs/verify.md.
 * SPDX-License-Identifier: Apache-2.0
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

/** Which side is wrong about a stack. */
enum verify_blame { VERIFY_THEIRS, VERIFY_OURS, VERIFY_UNDECIDED, VERIFY_BLAME_COUNT };

enum { VERIFY_EXAMPLE_FRAMES = 16 };

/** The place where a thread was, as the code cache describes its pc. */
struct verify_place {
    uint64_t pc;     /* 0 at a safepoint */
    uint32_t offset; /* from the start of the code */
    int32_t frame_size, frame_complete;
    uint8_t is_code;         /* 1: generated code; 0: C code or unknown */
    unsigned char bytes[24]; /* of the code, from 8 bytes before pc on */
    char name[40];
};

/** Two stacks of one moment, from two frames before the first difference on. */
struct verify_example {
    uint32_t state;            /* of the thread, an enum hs_thread_state */
    uint32_t at;               /* index of the first difference */
    uint32_t from, other_from; /* index of the first kept frame of each stack */
    uint32_t our_count, count; /* kept frames of each stack */
    uint32_t our_total, total; /* all frames of each stack */
    int32_t cause;             /* enum walk_cause of a failed walk; otherwise -1 */
    struct verify_place place;
    struct verify_frame ours[VERIFY_EXAMPLE_FRAMES], theirs[VERIFY_EXAMPLE_FRAMES];
};

/** Context: signal. */
void verify_table_add(enum verify_count count, uint64_t n);
uint64_t verify_table_get(enum verify_count count);
void verify_table_add_failure(enum walk_cause cause, int at_safepoint);
/** AsyncGetCallTrace gave this code (0 to -10, passed as a positive number) and no stack. */
void verify_table_add_asgct_failure(uint32_t code);
/** AsyncGetCallTrace gave a stack that differs from the walk. */
void verify_table_add_difference(enum verify_kind kind, enum verify_blame blame);

/**
 * The place for the example of a kind of disagreement; only the first caller gets it, later ones
 * get NULL. `confirmed`: the example is shown. Otherwise it is shown only after
 * verify_table_confirm().
 */
struct verify_example *verify_table_example(const char *layer, const char *word, int confirmed);
struct verify_example *verify_table_difference_example(enum verify_kind kind,
                                                       enum verify_blame blame);
void verify_table_confirm(struct verify_example *e);

/** Writes the name of a frame for the report, less than `size` bytes. Context: any, not signal. */
typedef void verify_table_name(void *context, const struct verify_frame *f, char *text, int size);

/** Write a line "begin": this process is being verified. Errors: 0, -errno. */
int verify_table_begin(const char *path);
/** Write everything, and a line "end". Errors: 0, -errno. */
int verify_table_write(const char *path, uint32_t jdk, verify_table_name *name, void *context);
