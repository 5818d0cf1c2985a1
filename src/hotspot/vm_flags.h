/*
 * vm_flags.h - the flags of a VM (-XX:...) in any memory: names, values, where they came from.
 *
 * Source: HotSpot jvmFlag.hpp (JDK 8: globals.hpp), vmStructs.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hotspot/flag_table.h"

struct target;

/** Types of flags, in the order of HotSpot's own numbers from JDK 16 on. */
enum vm_flag_type {
    VM_FLAG_BOOL,
    VM_FLAG_INT,
    VM_FLAG_UINT,
    VM_FLAG_INTX,
    VM_FLAG_UINTX,
    VM_FLAG_UINT64,
    VM_FLAG_SIZE,
    VM_FLAG_DOUBLE,
    VM_FLAG_TEXT,
    VM_FLAG_TEXTS, /* several texts, with line breaks between them */
    VM_FLAG_TYPES,
};

struct vm_flag_row {
    char name[96];
    enum vm_flag_type type;
    uint64_t value_at; /* address of the value */
    unsigned origin;   /* HotSpot's number; 0: the default value */
};

struct vm_flags {
    const struct target *target;
    struct flag_table table;
    int32_t type, bits;
    bool has_type_words; /* before JDK 16 the type of a flag is a text */
};

/** Begin with the first flag. Errors: 0; E_FACT_MISSING. */
int vm_flags_begin(const struct target *t, struct vm_flags *ret_flags);
/** Read the next flag whose row can be read; false at the end. */
bool vm_flags_next(struct vm_flags *f, struct vm_flag_row *ret_row);

/** The VM's word for a type: "uintx". */
const char *vm_flags_type_word(enum vm_flag_type type);
/** The word for an origin, as `jcmd VM.flags -all` has it: "command line". */
const char *vm_flags_origin_word(unsigned origin);
/** Write the value as text, 0-terminated and cut to `size` - 1. Returns its length; -1 if it cannot
 * be read. */
int vm_flags_value(const struct target *t, const struct vm_flag_row *row, char *dst, size_t size);
/** The value, of at most 8 bytes, of the flag with this name; `otherwise` if there is none. */
uint64_t vm_flags_number(const struct target *t, const char *name, size_t size, uint64_t otherwise);
