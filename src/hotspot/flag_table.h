/*
 * flag_table.h - the table of a VM's flags (-XX:...) in any memory: where each has its name and its
 * value. What a value is, and where it came from, is vm_flags.h's.
 *
 * Needs the tables of the VM alone, so the layout can be made with it. Source: HotSpot jvmFlag.hpp
 * (JDK 8: globals.hpp, where the type is called Flag), vmStructs.cpp.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;
struct vmtables;

struct flag_table {
    struct mem *mem;
    const char *type;   /* what the VM calls it; static text */
    uint64_t row, left; /* the row that comes next, and how many there are from it on */
    uint32_t row_size;
    uint32_t name, value; /* offsets of two pointers in a row */
};

/** Begin with the first row. Errors: 0; E_FACT_MISSING. Owner: borrows `m`. */
int flag_table_begin(struct mem *m, const struct vmtables *t, struct flag_table *ret_table);
/** Go on with the next row. */
void flag_table_step(struct flag_table *f);
/** Addresses in the row that is next: of the name, and of the value; 0 where it cannot be read. */
uint64_t flag_table_name(const struct flag_table *f);
uint64_t flag_table_value(const struct flag_table *f);
/** Where the flag of that name has its value; 0: there is none. */
uint64_t flag_table_find(struct mem *m, const struct vmtables *t, const char *name);
