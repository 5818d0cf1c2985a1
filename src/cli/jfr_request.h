/*
 * jfr_request.h - the command line of `hprof jfr`: its options, and where each value is stored.
 *
 * cmd_jfr.c decides which options a word takes and what the word does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "command/cmd.h"
#include "jfrtool/jfr_configure.h"
#include "jfrtool/jfr_cut.h"
#include "jfrtool/jfr_events.h"
#include "jfrtool/jfr_print.h"
#include "jfrtool/jfr_split.h"
#include "jfrtool/jfr_view.h"

/** The options; each is a bit of jfr_request.given. */
enum {
    JFR_OPT_EVENTS = 1,
    JFR_OPT_CATEGORIES,
    JFR_OPT_STACK_DEPTH,
    JFR_OPT_JSON,
    JFR_OPT_XML,
    JFR_OPT_TIME,
    JFR_OPT_EXACT,
    JFR_OPT_WHERE,
    JFR_OPT_GROUP_BY,
    JFR_OPT_SUM,
    JFR_OPT_TOP,
    JFR_OPT_JDK,
    JFR_OPT_DIFF,
    JFR_OPT_TO,
    JFR_OPT_OUTPUT,
    JFR_OPT_FROM,
    JFR_OPT_THREAD,
    JFR_OPT_INCLUDE_EVENTS,
    JFR_OPT_EXCLUDE_EVENTS,
    JFR_OPT_INCLUDE_CATEGORIES,
    JFR_OPT_EXCLUDE_CATEGORIES,
    JFR_OPT_INCLUDE_THREADS,
    JFR_OPT_EXCLUDE_THREADS,
    JFR_OPT_REDACT,
    JFR_OPT_REDACT_KEY,
    JFR_OPT_MAX_CHUNKS,
    JFR_OPT_MAX_SIZE,
    JFR_OPT_INPUT,
    JFR_OPT_VERBOSE,
    JFR_OPT_WIDTH,
    JFR_OPT_TRUNCATE,
    JFR_OPT_CELL_HEIGHT,
    JFR_OPT_CONTEXT,
};

enum { JFR_REQUEST_COUNT_MAX = 1000000 }; /* the largest number that the command line accepts */

#define JFR_REQUEST_BIT(option) (UINT64_C(1) << (option))

struct jfr_request {
    const struct cmd *self;
    struct jfr_print print;
    struct jfr_view view;
    struct jfr_events events;
    struct jfr_cut cut;
    struct jfr_split split;
    struct jfr_configure configure;
    const char *what, *from, *to, *output, *jdk, *diff;
    uint64_t given;     /* bit N: option N */
    const char **words; /* the words after `what` */
    size_t count;
};

/** For cmd_jfr.options. */
extern const struct opt jfr_request_options[];
/** The values if no option is given. */
extern const struct jfr_request jfr_request_defaults;

/**
 * Stores an option or word that opts_next() returned. The caller provides room for all words in
 * `words`. Errors: 0, or negative after saying why, also if it is neither an option nor a word.
 */
int jfr_request_take(struct jfr_request *r, int id, const char *value);
/** Applies --context, which changes the style. Errors: 0; E_SYNTAX after saying why. */
int jfr_request_context(struct jfr_request *r);
/** Parses --from and --to. Errors: 0; E_SYNTAX after saying why. */
int jfr_request_range(const struct jfr_request *r, struct window *range);
