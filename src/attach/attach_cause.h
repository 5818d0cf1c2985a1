/*
 * attach_cause.h - the list of reasons why a JVM cannot be asked, with a remedy for each.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum attach_cause {
    ATTACH_OK,
#define CAUSE(name, what, remedy) ATTACH_##name,
#include "attach/attach_cause.def"
#undef CAUSE
    ATTACH_CAUSE_COUNT
};

/** The text and the remedy of a cause: static texts, never NULL. */
const char *attach_cause_text(enum attach_cause cause);
const char *attach_cause_remedy(enum attach_cause cause);
/** The cause as a word for programs: "NOT_PERMITTED". */
const char *attach_cause_word(enum attach_cause cause);
