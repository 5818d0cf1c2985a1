/*
 * hprof_text_form.h - the words of the text form's tables whose rows are shares of a total; for
 * those who write, read and part them. Layouts: docs/format/hprof-text.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

/** A table whose rows are shares of a total. */
struct hprof_text_form {
    const char *title;   /* before BEGIN and END; NULL: the kind has no such table */
    const char *exact;   /* the title of the same rows in ns; NULL: the shares are of counts */
    const char *unit;    /* behind the total */
    const char *subject; /* what the last column names */
};

/** By enum event_kind. */
extern const struct hprof_text_form hprof_text_form_of[EVENT_KINDS];
