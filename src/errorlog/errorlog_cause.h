/*
 * errorlog_cause.h - what ended the JVM, by the patterns that its log shows.
 *
 * The patterns are the rows of errorlog_cause.def; each has a condition here. Nothing is known for
 * certain from a log: the title of a cause says so where there are two explanations.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct errorlog;

enum errorlog_cause {
#define CAUSE(id, word, title, ...) ERRORLOG_CAUSE_##id,
#include "errorlog/errorlog_cause.def"
#undef CAUSE
    ERRORLOG_CAUSES,
};

enum { ERRORLOG_CAUSE_ADVICE = 3 };

struct errorlog_cause_row {
    const char *word, *title;
    const char *advice[ERRORLOG_CAUSE_ADVICE];
};

extern const struct errorlog_cause_row errorlog_cause_all[ERRORLOG_CAUSES];

/** The first cause whose pattern fits. */
enum errorlog_cause errorlog_cause_of(const struct errorlog *log);
