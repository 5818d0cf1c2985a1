/*
 * asgst_iter.h - a walk one frame at a time, for the ASGST API.
 *
 * The same frames as walk_vm.h, but nothing is stored: the state is a struct of fixed size on the
 * caller's stack (1.5 KB), however deep the walked stack is. Between the Java frames it can give
 * what lies there: stubs of the VM by its code cache, C and C++ frames by their call frame
 * information, where cfi_map_publish() has given it, else by their frame pointers (libjvm.so
 * keeps them; where code does not, frames are missing). Only return addresses into mapped code
 * count as C frames, see asgst_iter_set_code(). Context of everything here: signal, unless said
 * otherwise. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/cfi_map.h"
#include "safe/hs_top.h"

/** The values of the API's enum ASGST_FrameTypeId. */
enum asgst_iter_type {
    ASGST_ITER_ERROR = 0,
    ASGST_ITER_JAVA = 1,
    ASGST_ITER_INLINED = 2,
    ASGST_ITER_NATIVE = 3,
    ASGST_ITER_CPP = 4,
    ASGST_ITER_STUB = 5, /* the API calls it non-Java, too */
};

struct asgst_iter_frame {
    uint64_t method;     /* Method*, 0 none */
    uint64_t pc, sp, fp; /* 0 not known */
    int32_t bci;         /* -1 none */
    int8_t level;        /* 0 to 4, -1 not known */
    uint8_t type;
};

enum asgst_iter_result {
    ASGST_ITER_END = 0,
    ASGST_ITER_FRAME = 1,
    ASGST_ITER_BROKEN = -1, /* no legal frame */
};

/* One physical frame has this many levels at most without being decoded twice. */
#define ASGST_ITER_LEVELS 24

enum asgst_iter_phase {
    ASGST_ITER_TOP,   /* C frames above the Java frames */
    ASGST_ITER_LEAD,  /* what the start leads with */
    ASGST_ITER_STEP,  /* at the cursor */
    ASGST_ITER_CHAIN, /* C frames between two Java frames, or of a thread without any */
    ASGST_ITER_DONE,
};

struct asgst_iter {
    struct mem_view view;
    struct hs_cursor cursor;
    struct hs_start start;
    uint64_t top_pc, top_sp, top_fp, top_lr; /* the registers, 0 none */
    uint8_t includes_non_java, has_java, has_regs;
    uint8_t phase, level_type;
    int8_t state; /* enum asgst_iter_result of the last call; ASGST_ITER_FRAME at the start */
    /* the levels of one physical frame */
    uint64_t at_pc, at_sp, at_fp;
    struct walk_frame levels[ASGST_ITER_LEVELS];
    uint32_t level_next, level_stored, level_base, level_count;
    struct hs_cursor again; /* the cursor before the step that stored them */
    uint8_t again_is_lead;
    /* the chain of C frames: pc 0 is its end */
    const struct cfi_map *map; /* NULL: none yet */
    enum hs_cpu cpu;
    struct cfi_regs chain;
    uint64_t chain_end;
    uint32_t chain_count;
    int chain_interrupted; /* pc is an instruction, not a return address */
    uint8_t chain_then;
};

/** One piece of mapped code, [low, high). */
struct asgst_iter_code {
    uint64_t low, high;
};
/** Say where code is mapped; `code` stays the caller's for ever. Context: any. */
void asgst_iter_set_code(const struct asgst_iter_code *code, uint32_t count);

/**
 * Stand before the innermost frame of a Java thread.
 *
 * `regs` NULL: begin at its anchor. `window` as in struct mem_view, NULL none.
 * Errors: 0; -(1 + enum walk_cause), then the iterator must not be used.
 */
int asgst_iter_begin(struct asgst_iter *it, struct mem *m, const struct hs_layout *layout,
                     uint64_t java_thread, const struct regs *regs, const void *window,
                     int includes_non_java);

/** The same from the registers of any frame: an instruction or a return address. */
int asgst_iter_begin_at(struct asgst_iter *it, struct mem *m, const struct hs_layout *layout,
                        uint64_t java_thread, const struct regs *regs, const void *window,
                        int includes_non_java);

/** Stand before the innermost frame of a thread that is none of Java's: C frames only. */
void asgst_iter_begin_native(struct asgst_iter *it, struct mem *m, enum hs_cpu cpu,
                             const struct regs *regs);

void asgst_iter_rewind(struct asgst_iter *it);

/** enum asgst_iter_result. *ret_frame is set for ASGST_ITER_FRAME only. */
int asgst_iter_next(struct asgst_iter *it, struct asgst_iter_frame *ret_frame);
