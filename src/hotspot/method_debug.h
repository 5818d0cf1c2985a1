/*
 * method_debug.h - what a class file says about a method for debuggers, as HotSpot keeps it: lines,
 * local variables, the generic signature.
 *
 * All of it lies in the ConstMethod: the line table behind the bytecodes, the other tables in front
 * of its end. Each table stands in front of its own length, and the VM's flags say which are there.
 * Source: HotSpot constMethod.hpp and constMethod.cpp; LocalVariableTable of the JVM specification.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

/** Where this VM keeps the tables; found once. */
struct method_debug_facts {
    const struct target *target;
    bool is_known; /* the VM tells all that local variables and generic signatures need */
    uint32_t has_variables, has_exceptions, has_checked, has_parameters, has_generic;
    uint32_t annotations[4]; /* flags: for each of these, one word at the end of the ConstMethod */
    int32_t start_bci, length, name, signature, generic, slot; /* in a row of local variables */
    uint32_t row_bytes;
};

struct method_debug_variable {
    uint32_t start_bci, length; /* the variable is in scope at [start_bci, start_bci + length) */
    uint32_t slot;
    uint64_t name, signature; /* symbols */
    uint64_t generic;         /* symbol; 0: none */
};

struct method_debug {
    const struct method_debug_facts *facts;
    uint64_t method, const_method, pool;
    uint32_t access; /* Method::_access_flags, with the VM's own flags */
    uint32_t flags, code_size, max_locals;
    uint64_t end; /* behind the two bytes that are the last of the tables */
};

/** A bit of method_debug.flags: the VM has made this method, which is in no class file: a method of
 * an interface that finds its default at run time, or none. The same number in JDK 8 to 28. */
enum { METHOD_DEBUG_OVERPASS = 0x0040 };

void method_debug_facts_init(struct method_debug_facts *f, const struct target *t);

/** Open the Method at `method`, which may be abstract. Returns whether it can be read. */
bool method_debug_open(const struct method_debug_facts *f, uint64_t method,
                       struct method_debug *ret_method);

/** The symbol at an index of the method's constant pool; 0: none. */
uint64_t method_debug_symbol(const struct method_debug *m, uint32_t index);

/** The symbol of the generic signature; *ret_symbol is 0 if there is none. Returns whether the VM
 * tells. */
bool method_debug_generic(const struct method_debug *m, uint64_t *ret_symbol);

/** Whether the class file told local variables, and their number. Errors: the number; -ENOENT: the
 * class was compiled without them; -EFAULT; E_FACT_MISSING. */
int32_t method_debug_variables(const struct method_debug *m, uint64_t *ret_rows);
/** Row `index` of the table at `rows`. Returns whether it can be read. */
bool method_debug_variable(const struct method_debug *m, uint64_t rows, uint32_t index,
                           struct method_debug_variable *ret_variable);

/** The method's exception handlers, rows of METHOD_DEBUG_HANDLER bytes: four numbers of two bytes,
 * start, end, handler, class. Errors: their number; -EFAULT; E_FACT_MISSING. */
enum { METHOD_DEBUG_HANDLER = 8 };
int32_t method_debug_handlers(const struct method_debug *m, uint64_t *ret_rows);
