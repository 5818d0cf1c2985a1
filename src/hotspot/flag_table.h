/*
 * flag_table.h - the table of a VM's flags (-XX:...) in any memory: where each flag has its name
 * and its value. vm_flags.h knows what a value is, and where it came from.
 *
 * The functions need only the tables of the VM, so the layout can be made with their help. Source:
 * HotSpot jvmFlag.hpp (JDK 8: globals.hpp, where the type is called Flag), vmStructs.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;
struct vmtables;

struct flag_table {
    struct mem *mem;
    const char *type;   /* the VM's name of the type; static text */
    uint64_t row, left; /* the present row, and how many rows are left, with this one */
    uint32_t row_size;
    uint32_t name, value; /* offsets of two pointers in a row */
};

/** Begin with the first row. Errors: 0; E_FACT_MISSING. Owner: borrows `m`. */
int flag_table_begin(struct mem *m, const struct vmtables *t, struct flag_table *ret_table);
/** Go on with the next row. */
void flag_table_step(struct flag_table *f);
/** The address of the name, and that of the value, of the present row; 0: it cannot be read. */
uint64_t flag_table_name(const struct flag_table *f);
uint64_t flag_table_value(const struct flag_table *f);
/** The address of the value of the flag `name`; 0: there is no such flag. */
uint64_t flag_table_find(struct mem *m, const struct vmtables *t, const char *name);
