/*
 * hprof_redact.h - which values of a heap dump become zero, for those who write a dump and for
 * those who write it again without its values.
 *
 * Elements of arrays of primitive types always do: the texts of strings are such arrays. So do
 * fields whose name says that they hold a hash, since the hash of a short text tells the text. All
 * other numbers do if the user asks for it. docs/man/hprof-redact.1 has the reasons.
 * Context: any, also a forked child.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum hprof_redact {
    HPROF_REDACT_NOTHING,
    HPROF_REDACT_VALUES, /* arrays and hashes */
    HPROF_REDACT_ALL,    /* and all other fields of primitive types */
};

/** Whether the name of a field is that of a hash. */
bool hprof_redact_is_hash(const char *name, size_t len);
/** Whether a field of this type (enum hprof_heap_type) becomes zero. */
bool hprof_redact_zeroes(enum hprof_redact redact, unsigned type, bool is_hash);
