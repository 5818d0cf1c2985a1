/*
 * vmtables.h - the tables in which HotSpot describes its own structures.
 *
 * The tables are read once, completely, through a memory; from then on a fact is a lookup in an
 * array. The VM need not run: the tables are complete as soon as libjvm.so is loaded.
 * Source: HotSpot vmStructs.hpp (gHotSpotVMStructs, Types, IntConstants, LongConstants).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

/** The symbols that lead to the tables; vmtables_open() takes their addresses in this order. */
enum { VMTABLES_SYMBOL_COUNT = 19 };
extern const char *const vmtables_symbols[VMTABLES_SYMBOL_COUNT];

struct vmtables_row {
    char type[96], name[96];
    uint64_t value; /* offset, address of a static, size of a type, or the constant */
    char kind;      /* 'f' field, 's' static field, 't' type, 'i' constant */
};

struct vmtables {
    struct vmtables_row *rows;
    uint32_t count;
    uint32_t *slots; /* a hash table: 1 + the index of a row; 0: free */
    uint32_t slot_count;
};

/**
 * Read the four tables. A damaged table ends at its first unreadable row.
 * Errors:  0; E_FACT_MISSING a symbol is 0; E_VM_STATE no rows; -ENOMEM.
 * Owner:   vmtables_done() frees the rows.
 */
int vmtables_open(struct mem *m, const uint64_t symbols[VMTABLES_SYMBOL_COUNT],
                  struct vmtables *ret_tables);
void vmtables_done(struct vmtables *t);

/** Find a row; `kind` as in struct vmtables_row. Returns 1, or 0. For 't' and 'i' `name` is "" and
 * `type` is the name. */
int vmtables_find(const struct vmtables *t, char kind, const char *type, const char *name,
                  uint64_t *ret_value);
