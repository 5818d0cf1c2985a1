/*
 * code_scopes.h - the debug data of compiled code at a call site: the scopes of the methods that
 * were inlined there, in the VM's compressed numbers.
 *
 * A scope is: the offset of its caller's scope, the method, bci + 1, and the offsets of its locals,
 * its expressions and its monitors.
 * Source: HotSpot scopeDesc.cpp, pcDesc.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/packed_ints.h"
#include "safe/hs_code.h"

enum { CODE_SCOPES_LEVELS = 512 };

struct code_scopes {
    const struct target *target;
    struct hs_blob blob;
    struct hs_nmethod nm;
    uint32_t offset; /* of the scope */
};

struct code_scope {
    uint32_t sender, method; /* offset of the caller's scope; index of the method, from 1 on */
    int32_t bci;
    uint32_t locals, expressions, monitors; /* offsets; 0: there are none */
};

/** Find the innermost scope at exactly this return address. Returns false if there is none. */
bool code_scopes_at(const struct target *t, uint64_t pc, struct code_scopes *ret);
/** Read the scope. Returns false if its data are cut off. */
bool code_scopes_read(const struct code_scopes *s, struct code_scope *ret);
/** Go to the caller's scope, `scope` being the one that was read. Returns false if there is none.
 */
bool code_scopes_leave(struct code_scopes *s, const struct code_scope *scope);
/** Begin to read numbers at an offset. */
void code_scopes_begin(const struct code_scopes *s, uint32_t offset, struct packed_ints *ret);
