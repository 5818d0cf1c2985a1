/*
 * class_rows.h - the loaded classes that have a tag, so that the VM tells when a class is gone.
 *
 * The VM calls class_rows_gone() with the tag of a class that it has unloaded, perhaps within a
 * pause. That function reads and writes only the rows, which are never freed. All other functions
 * need the agent's lock. There is one table, of CLASS_ROWS_MAX rows at most.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

enum {
    CLASS_ROWS_MAX = 1 << 18,
};

/** A class, the name of its loader, and the stack that has loaded it. */
struct class_rows_class {
    class_id klass;
    string_id loader;
    trace_id trace;
};

/** Add a class. Returns the tag for its mirror; 0: there is no room. */
int64_t class_rows_add(const struct class_rows_class *c);
/** A tag of no class of the table, which class_rows_gone() ignores. */
int64_t class_rows_none(void);
/** Whether the tag was given since the table was cleared. */
bool class_rows_is_tag(int64_t tag);
/** The class with this tag is gone. Context: gc, any thread. */
void class_rows_gone(int64_t tag);
/** Take out the next class that is gone. Returns false if there is none. */
bool class_rows_next(struct class_rows_class *ret);
/** Forget all classes. Tags that were given before mean nothing from now on. */
void class_rows_clear(void);
