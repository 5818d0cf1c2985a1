/*
 * code_cache.h - all pieces of generated code that a VM has: compiled methods, stubs, the
 * interpreter.
 *
 * Goes through the code heaps block by block, where safe/hs_code.h finds the one around an address.
 * The process may run meanwhile: code that comes or goes is seen or not, and a block whose header
 * makes no sense is passed over by one segment.
 * Source: HotSpot heap.cpp (CodeHeap, HeapBlock), codeBlob.hpp, codeCache.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/hs_code.h"

struct target;

enum { CODE_CACHE_NAME = 96 };

/** One piece. Addresses are the target's. */
struct code_cache_piece {
    uint64_t start, end; /* of the instructions */
    enum hs_blob_kind kind;
    uint64_t method;            /* Method* of compiled code and of native wrappers, else 0 */
    uint8_t level;              /* of such code: 1 to 3 C1, 4 C2 (or what stands in its place) */
    char name[CODE_CACHE_NAME]; /* what the VM calls the piece; "nmethod" for all compiled code */
};

typedef void code_cache_visit(const struct code_cache_piece *piece, void *with);

/** Call `visit` with each piece that is in use, by address within each heap. Returns how many there
 * were. Compiled code whose method is gone is left out: it does not run any more. */
uint32_t code_cache_each(const struct target *t, code_cache_visit *visit, void *with);
