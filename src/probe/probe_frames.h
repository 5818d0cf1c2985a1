/*
 * probe_frames.h - the frames of a hit, walked in the copy of its stack (snapshot/copied_stack.h).
 *
 * Where the returns of functions are looked at, the kernel has put the address of its own code in
 * place of return addresses. The caller who saw the calls knows what stood there, and it is put
 * back into the copy before the walk.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/ids.h"

struct copied_stack_result;
struct mem_live;
struct probe_counts;
struct probe_open;
struct probe_ring_hit;
struct sink;

/** What is kept of a walk. */
struct probe_frames {
    char *text; /* the frames as `hprof stack` writes them; NULL: none */
    size_t len;
    char *thread_name; /* NULL: unknown */
    bool is_whole, is_walked;
    bool is_cut;      /* the copied stack ended before the thread's */
    bool is_known;    /* the callers of the last frame are not missing for another reason */
    thread_id thread; /* of a recording */
    trace_id trace;
};

struct probe_frames_walker;

/** Prepare walks in the process of `live`, which is borrowed. `*ret_missing` is said of
 * E_FACT_MISSING. Errors: those of copied_stack_open(). Owner: probe_frames_close(). */
int probe_frames_open(struct mem_live *live, unsigned machine, struct probe_frames_walker **ret,
                      const char **ret_missing);
void probe_frames_close(struct probe_frames_walker *w);
/** Walk the stack of a hit. `calls`: calls that wait for their return; NULL: none are watched.
 * False: no frames; otherwise *ret is valid until the next walk, and `counts` knows of it. */
bool probe_frames_walk(struct probe_frames_walker *w, const struct probe_ring_hit *hit,
                       const struct probe_open *calls, struct probe_counts *counts,
                       struct copied_stack_result *ret);
/** Whether the address is in the code to which watched functions return. */
bool probe_frames_is_trampoline(struct probe_frames_walker *w, uint64_t address);

/** Keep what a walk has found as text. False: no memory. */
bool probe_frames_keep(const struct copied_stack_result *stack, bool is_json,
                       struct probe_frames *ret);
void probe_frames_done(struct probe_frames *f);
/** Write the end of a line with the thread's name, and the frames; of JSON members of an object. */
void probe_frames_put(struct sink *out, const struct probe_frames *f, bool is_json);
