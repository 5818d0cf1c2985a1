/*
 * hprof_redact.h - what of a heap dump is kept, zeroed or renamed, for those who write a dump and
 * for those who write it again without its values.
 *
 * Elements of arrays of primitive types always become zero: the texts of strings are such arrays.
 * So do fields whose name says that they hold a hash, since the hash of a short text tells the
 * text. All other numbers do if the user asks for it, and names are replaced if the user asks for
 * it. Classes that the user names keep their values. docs/man/hprof-redact.1 has the reasons.
 * Context: any, also a forked child; nothing here takes memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hprof_redact {
    HPROF_REDACT_NOTHING,
    HPROF_REDACT_VALUES, /* arrays and hashes */
    HPROF_REDACT_ALL,    /* and all other fields of primitive types */
};

/** What the user asks for. All zero: nothing is changed. */
struct hprof_redact_rule {
    enum hprof_redact values;
    /**
     * Patterns (base/wildcard.h) of class names as Java writes them, with semicolons between them:
     * objects and statics of these classes keep their values, "int[]" means all arrays of int.
     * NULL or "": none. Borrowed.
     */
    const char *keep;
    bool has_names; /* replace the names of threads, methods, source files, fields */
};

/** What refers to a text of a dump, or what the text is without a reference: bits. */
enum hprof_redact_use {
    HPROF_REDACT_NOTE = 1 << 3,    /* a note of our agent, to which no record refers */
    HPROF_REDACT_PROGRAM = 1 << 4, /* the note that names the program */
    HPROF_REDACT_CLASS = 1 << 5,   /* the name of a class */
    HPROF_REDACT_FIELD = 1 << 6,   /* the name of a field */
    HPROF_REDACT_JDK_FIELD = 1 << 7,
    HPROF_REDACT_CODE = 1 << 8, /* the name of a method or of a source file */
    HPROF_REDACT_DESCRIPTOR = 1 << 9,
    HPROF_REDACT_THREAD = 1 << 10, /* the name of a thread or of a group of threads */
};

/** What becomes of a text. */
enum hprof_redact_fate {
    HPROF_REDACT_STAYS,
    HPROF_REDACT_GOES,             /* zeros */
    HPROF_REDACT_EMPTY_DESCRIPTOR, /* "()V", because readers parse descriptors */
    HPROF_REDACT_MADE,             /* hprof_redact_name() */
};

enum { HPROF_REDACT_NAME = 32 }; /* bytes for a made name and its final 0 */

/** Whether objects and statics of this class keep their values. The name has no NUL at its end; it
 * may have slashes in place of dots. */
bool hprof_redact_keeps(const struct hprof_redact_rule *rule, const char *name, size_t len);
/** The types of arrays that keep their elements: bit N is the type N of enum hprof_heap_type. */
uint32_t hprof_redact_kept_types(const struct hprof_redact_rule *rule);
/** Whether a class is of the JDK, whose fields readers look up by name. The name may have slashes
 * in place of dots. */
bool hprof_redact_is_of_jdk(const char *name, size_t len);
/** Whether the name of a field is that of a hash. */
bool hprof_redact_is_hash(const char *name, size_t len);
/** Whether a field of this type (enum hprof_heap_type) becomes zero, in objects and statics of a
 * class that does not keep its values. */
bool hprof_redact_zeroes(enum hprof_redact values, unsigned type, bool is_hash);
/** What becomes of a text with these uses (bits of enum hprof_redact_use). */
enum hprof_redact_fate hprof_redact_fate(const struct hprof_redact_rule *rule, unsigned uses);
/** The number for the name of a record with this id. The first digit of eight in an id says which
 * table of the agent's file the record is of; the digits behind it are the number. */
static inline uint64_t hprof_redact_number(uint64_t id)
{
    return id & 0x0fffffff;
}
/** What stands in the place of a text that does not stay: "" for zeros, else "()V" or "nameN" with
 * this number, which is in `room` then. */
const char *hprof_redact_name(enum hprof_redact_fate fate, uint64_t number,
                              char room[HPROF_REDACT_NAME]);
