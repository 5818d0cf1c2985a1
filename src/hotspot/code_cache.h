/*
 * code_cache.h - all pieces of generated code that a VM has: compiled methods, stubs, the
 * interpreter.
 *
 * This file goes through the code heaps block by block; safe/hs_code.h finds the block around one
 * address. The process may run meanwhile: code that comes or goes during the run may be seen or
 * not. If the header of a block makes no sense, only one segment is passed over.
 * Source: HotSpot heap.cpp (CodeHeap, HeapBlock), codeBlob.hpp, codeCache.cpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/hs_code.h"

struct target;

enum { CODE_CACHE_NAME = 96 };

/** One piece of code. The addresses are the target's. */
struct code_cache_piece {
    uint64_t start, end; /* the instructions */
    enum hs_blob_kind kind;
    uint64_t method; /* Method* of compiled code and of native wrappers; else 0 */
    uint8_t level;   /* of compiled code: 1 to 3 C1, 4 C2 (or the compiler in its place) */
    char name[CODE_CACHE_NAME]; /* the VM's name of the piece; "nmethod" for all compiled code */
};

typedef void code_cache_visit(const struct code_cache_piece *piece, void *with);

/** What a code heap holds. A block is a piece of code with its header. */
struct code_cache_sum {
    uint64_t bytes;    /* of the blocks that are in use */
    uint32_t entries;  /* blocks in use */
    uint32_t methods;  /* compiled code, with the wrappers of native methods */
    uint32_t adapters; /* between interpreted and compiled calling conventions */
};

/** Add up the blocks of layout->heaps[heap] below the address `end`: the end of the heap's
 * committed memory. */
struct code_cache_sum code_cache_sum(const struct target *t, uint32_t heap, uint64_t end);

/** Call `visit` for each piece that is in use, sorted by address within each heap. Returns the
 * number of pieces. Compiled code whose method is gone is left out: it does not run any more. */
uint32_t code_cache_each(const struct target *t, code_cache_visit *visit, void *with);
