/*
 * heapredact_request.h - what is to be zeroed or replaced in a heap dump (heapredact.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct diag;

struct heapredact_request {
    /** Patterns (base/wildcard.h) of class names as Java writes them: objects and statics of these
     * classes keep their values, "int[]" means all arrays of int. Borrowed. */
    const char *const *keep;
    size_t keep_count;
    bool has_fields;   /* zero fields and statics of all primitive types */
    bool has_names;    /* replace the names of threads, methods, source files, fields */
    struct diag *diag; /* is told how far the reading has come; borrowed */
    const char *place; /* name of the input for `diag`; borrowed */
};
