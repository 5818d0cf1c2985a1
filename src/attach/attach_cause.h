/*
 * attach_cause.h - the one list of reasons why a JVM cannot be asked, with what to do about each.
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

/** Each: static text, never NULL. */
const char *attach_cause_text(enum attach_cause cause);
const char *attach_cause_remedy(enum attach_cause cause);
/** A word for programs: "not_permitted". */
const char *attach_cause_word(enum attach_cause cause);
