/*
 * hs_code.h - the code cache: which piece of generated code holds an address, and its debug data.
 *
 * The functions read only with guarded loads: the segment maps and blob headers of the code cache,
 * the debug data of nmethods (in the blob to JDK 22, in malloc memory later), and static strings of
 * libjvm.so. The VM (to JDK 19 its sweeper) may free all of this at any moment. Then an answer is
 * wrong or "not found", loops are bounded, and the walker's checks decide whether the answer is
 * used. The frames of a thread keep their nmethods alive; the code of frames on the interrupted
 * thread's own stack is therefore stable.
 * Source: HotSpot heap.cpp (segment map), codeBlob.hpp, nmethod.hpp, pcDesc.hpp, scopeDesc.cpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_layout.h"
#include "safe/mem.h"

enum hs_blob_kind {
    HS_BLOB_OTHER,   /* runtime stubs, and all that is not named below */
    HS_BLOB_NMETHOD, /* compiled Java code */
    HS_BLOB_NATIVE,  /* the wrapper of a native method */
    HS_BLOB_INTERPRETER,
    HS_BLOB_STUBS,   /* StubRoutines: no common frame size */
    HS_BLOB_ADAPTER, /* between interpreted and compiled calling conventions; never has a frame */
    HS_BLOB_VTABLE,  /* vtable and itable stubs; never have a frame */
    HS_BLOB_DEOPT,
    HS_BLOB_UPCALL, /* the stub through which C code calls Java (foreign function interface) */
};

struct hs_blob {
    uint64_t start, end, code;
    enum hs_blob_kind kind;
    int32_t frame_size;     /* in words, with the return address; <= 0: not known */
    int32_t frame_complete; /* offset from `code` at which the frame is set up; < 0: never */
};

/** The fields that an nmethod has in addition to those of a blob. */
struct hs_nmethod {
    uint64_t method;
    uint64_t pcs, pcs_end, scopes, metadata;
    uint8_t level;
};

/** One level of inlining at a place in compiled code. */
struct hs_scope {
    uint64_t method;
    int32_t bci;
    uint32_t sender; /* decode offset of the caller's scope; 0: none */
};

/** The code heap that holds `addr`, or NULL. */
static inline const struct hs_heap *hs_code_heap(const struct hs_layout *l, uint64_t addr)
{
    for (uint32_t i = 0; i < l->heap_count; i++) {
        if (addr - l->heaps[i].low < l->heaps[i].high - l->heaps[i].low)
            return &l->heaps[i];
    }
    return NULL;
}

/** Whether `addr` lies in a code heap. */
static inline bool hs_code_contains(const struct hs_layout *l, uint64_t addr)
{
    return hs_code_heap(l, addr) != NULL;
}

/** Whether `pc` lies in the interpreter. */
static inline bool hs_code_is_interpreter(const struct hs_layout *l, uint64_t pc)
{
    return pc - l->interp_low < l->interp_high - l->interp_low;
}

/** The start of the blob that holds `pc`; 0: there is none. */
uint64_t hs_code_start(struct mem_view *v, const struct hs_layout *l, uint64_t pc);
/** Whether heap `h` has a block, used or free, whose blob would start at `start`. */
static inline bool hs_code_is_block_in(struct mem_view *v, const struct hs_layout *l,
                                       const struct hs_heap *h, uint64_t start)
{
    uint64_t block = start - (uint64_t)l->block_size;
    uint32_t faults = v->faults;
    return mem_view_u1(v, h->segmap + ((block - h->low) >> h->log2_segment)) == 0 &&
           v->faults == faults;
}

/** Whether any heap has a block whose blob would start at `start`. */
static inline bool hs_code_is_block(struct mem_view *v, const struct hs_layout *l, uint64_t start)
{
    const struct hs_heap *h = hs_code_heap(l, start - (uint64_t)l->block_size);
    return h && hs_code_is_block_in(v, l, h, start);
}

/** Whether a blob of a used block starts at `start` in heap `h`. Cheaper than hs_code_start(). */
static inline bool hs_code_is_start_in(struct mem_view *v, const struct hs_layout *l,
                                       const struct hs_heap *h, uint64_t start)
{
    uint64_t block = start - (uint64_t)l->block_size;
    uint32_t faults = v->faults;
    return hs_code_is_block_in(v, l, h, start) &&
           mem_view_u1(v, block + (uint64_t)l->block_used) != 0 && v->faults == faults;
}

/** Find the blob that holds `pc`. Returns 1; or 0 if it is free, not code, or not readable. */
int hs_code_find(struct mem_view *v, const struct hs_layout *l, uint64_t pc,
                 struct hs_blob *ret_blob);

/** Read the nmethod's part of a blob of kind NMETHOD or NATIVE. */
void hs_code_nmethod(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                     struct hs_nmethod *ret_nmethod);

/** Whether `pc` is the deoptimisation handler of this nmethod. To deoptimise a frame, the VM
 * patches the return address into the nmethod to that address. */
bool hs_code_is_deopt(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                      uint64_t pc);
/** The place in a frame of a deoptimised nmethod that keeps the frame's true return address: an
 * offset in bytes from sp. */
int32_t hs_code_orig_pc(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob);

/**
 * Find the innermost scope for `pc`.
 *
 * `pc` is a return address: the descriptor counts whose region ends at `pc`. For an interrupted
 * instruction pass pc + 1. *ret_exact says that a descriptor stands at exactly this address.
 * Returns 1, or 0 if no descriptor covers `pc`.
 */
int hs_code_scope(struct mem_view *v, const struct hs_layout *l, const struct hs_blob *blob,
                  const struct hs_nmethod *nm, uint64_t pc, struct hs_scope *ret_scope,
                  bool *ret_exact);

/** Go to the caller's scope, in place. Returns 1; or 0 if `scope` was the outermost scope, or the
 * caller's scope is damaged. */
int hs_code_scope_sender(struct mem_view *v, const struct hs_layout *l, const struct hs_nmethod *nm,
                         struct hs_scope *scope);
