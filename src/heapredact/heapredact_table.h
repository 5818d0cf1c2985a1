/*
 * heapredact_table.h - what must be known of a dump's names and classes to redact its objects.
 *
 * The table grows with the names that classes, frames and threads have, and with the fields of
 * classes. Both readings of a file fill it: the second one changes it only if a file has several
 * dumps in which a class has different fields. Numbers come from a file that may be hostile.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/hprof_redact.h"
#include "format/idmap.h"
#include "heap/dumpscan.h"

/** What the text of a UTF8 record could be: bits beside those of enum hprof_redact_use. */
enum heapredact_text {
    HEAPREDACT_KEPT = 1 << 0,   /* as the name of a class it is kept */
    HEAPREDACT_OF_JDK = 1 << 1, /* as the name of a class it is in a package of the JDK */
    HEAPREDACT_HASH = 1 << 2,   /* as the name of a field it is that of a hash */
};

enum {
    HEAPREDACT_ZEROED = 0x80,      /* a bit beside the type of a field */
    HEAPREDACT_SUPERS_MAX = 256,   /* no class that is met has so many superclasses */
    HEAPREDACT_TEXT_MAX = 1 << 16, /* a name in a class file is shorter */
};

struct heapredact_class {
    uint64_t super;  /* id; 0: none */
    size_t first;    /* index of its first field in `types` */
    uint32_t count;  /* number of its own fields */
    bool has_dump;   /* the fields are known */
    bool has_zeroed; /* one of its own fields is zeroed */
    bool is_kept, is_of_jdk;
    uint32_t own_bytes; /* of the values of its own fields */
    /* The following fields are valid if `checked` is the generation of the table. */
    uint32_t checked;
    bool is_whole;  /* all its superclasses are known */
    bool is_copied; /* no field is zeroed, in no superclass either */
    uint64_t bytes; /* of the values of an instance */
};

struct heapredact_table {
    struct idmap texts;   /* id of a UTF8 record: bits of both enums */
    struct idmap indexes; /* id of a class: its index in `classes`, plus 1 */
    struct heapredact_class *classes;
    uint32_t class_count, class_room;
    uint8_t *types; /* enum hprof_heap_type, and HEAPREDACT_ZEROED */
    size_t type_count, type_room;
    uint32_t generation; /* grows when a class becomes another one */
    uint32_t id_bytes;   /* 4 or 8; the caller sets it from the header */
    int error;           /* 0, or the first -ENOMEM or E_LIMIT */
};

void heapredact_table_init(struct heapredact_table *t);
void heapredact_table_done(struct heapredact_table *t);

/** Bytes of a value of a field with this row of `types`. */
static inline uint32_t heapredact_table_size(const struct heapredact_table *t, uint8_t type)
{
    return dumpscan_type_bytes(type & ~(unsigned)HEAPREDACT_ZEROED, t->id_bytes);
}
/** Adds bits to those of a UTF8 record. */
void heapredact_table_mark(struct heapredact_table *t, uint64_t text, uint32_t bits);
static inline uint32_t heapredact_table_text(const struct heapredact_table *t, uint64_t text)
{
    return idmap_get(&t->texts, text);
}
/** The class with this id; NULL: the file has not named it yet. Valid until the next class is
 * added. */
struct heapredact_class *heapredact_table_class(const struct heapredact_table *t, uint64_t id);
/** The same, and adds it if the file has not named it. NULL: no memory, and `error` says so. */
struct heapredact_class *heapredact_table_add(struct heapredact_table *t, uint64_t id);
/** Sets the superclass and the fields of a class. The types are copied. */
void heapredact_table_define(struct heapredact_table *t, uint64_t id, uint64_t super,
                             const uint8_t *types, uint32_t count);
/** Computes what the class and its superclasses are together, if they have changed. */
void heapredact_table_check(struct heapredact_table *t, struct heapredact_class *c);
