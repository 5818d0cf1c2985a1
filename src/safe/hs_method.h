/*
 * hs_method.h - Java methods as HotSpot keeps them: Method, ConstMethod, ConstantPool, Klass,
 * Symbol.
 *
 * The functions read metaspace (and the CDS archive) with guarded loads. A class may be unloaded
 * during a read. Then the chain of pointers breaks, or it leads to other data: the caller gets 0,
 * or names of a method that the thread cannot be in. The frames of a thread keep their own classes
 * alive.
 * Source: HotSpot method.hpp, constMethod.hpp, constantPool.hpp, symbol.hpp; line table:
 * compressedStream / CompressedLineNumberReadStream in method.cpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

struct hs_method {
    uint64_t method, const_method;
    uint64_t code; /* address of the first bytecode */
    uint16_t code_size;
    bool is_native;
};

/** Read an address that may be a Method*. Returns 1 if it has the shape of a Method, else 0. */
static inline int hs_method_read(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                                 struct hs_method *ret_method)
{
    uint32_t faults = v->faults;
    if (method < 0x1000 || (method & 7) != 0)
        return 0;
    uint64_t const_method = mem_view_u8(v, method + (uint64_t)l->method_const);
    if (const_method < 0x1000 || (const_method & 7) != 0)
        return 0;
    uint16_t code_size = mem_view_u2(v, const_method + (uint64_t)l->const_code_size);
    bool is_native = false;
    /* A native method has no bytecodes; every other method has some. */
    if (code_size == 0) {
        is_native = (mem_view_u4(v, method + (uint64_t)l->method_access) & HS_ACC_NATIVE) != 0;
        if (!is_native)
            return 0;
    }
    if (v->faults != faults)
        return 0;
    *ret_method = (struct hs_method){method, const_method, const_method + (uint64_t)l->const_size,
                                     code_size, is_native};
    return 1;
}

/** Do the same as hs_method_read() for a `method` from a register that may hold anything: the
 * method's class and names must be readable, too. */
int hs_method_guess(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                    struct hs_method *ret_method);

/** The greatest depth of the method's expression stack. */
uint16_t hs_method_max_stack(struct mem_view *v, const struct hs_layout *l,
                             const struct hs_method *m);

/** The bytecode index of `bcp`; -3 for a native method; -1 if `bcp` does not point into this
 * method's bytecodes. */
static inline int32_t hs_method_bci(const struct hs_method *m, uint64_t bcp)
{
    if (m->is_native)
        return -3;
    return bcp - m->code < m->code_size ? (int32_t)(bcp - m->code) : -1;
}

/** A method's Symbols: name, signature, class, source file; 0: none. Returns 1, or 0. */
struct hs_method_symbols {
    uint64_t name, signature, class_name, source_file;
};
int hs_method_symbols(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                      struct hs_method_symbols *ret_symbols);

/** Copy the UTF-8 text of a Symbol, without a final 0. Returns the copied length, at most `size`;
 * -1 if the text cannot be read. */
int hs_method_symbol_text(struct mem_view *v, const struct hs_layout *l, uint64_t symbol, char *dst,
                          uint32_t size);

/**
 * Find the compressed line table of a method. Returns the length of the table with its end mark,
 * and *ret_addr is its address. Returns 0 if there is no table, if it is longer than `max`, or if
 * it cannot be read.
 */
uint32_t hs_method_line_table(struct mem_view *v, const struct hs_layout *l, uint64_t method,
                              uint32_t max, uint64_t *ret_addr);

/** A walk through a copied line table. The caller sets `table` and `len`. */
struct hs_method_lines {
    const unsigned char *table;
    uint32_t len, pos;
    int32_t bci, line; /* of the row that was read last */
};

/** Read the next row. Returns 0 at the end. `excluded` is hs_layout.unsigned5_excluded. */
int hs_method_next_line(struct hs_method_lines *lines, uint32_t excluded);

/** The line of `bci` in a copied table, or -1. `excluded` is hs_layout.unsigned5_excluded. */
int32_t hs_method_line(const unsigned char *table, uint32_t len, uint32_t excluded, int32_t bci);
