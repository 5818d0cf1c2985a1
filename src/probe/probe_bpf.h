/*
 * probe_bpf.h - small programs that the kernel runs when a tracepoint or a uprobe is met (BPF): put
 * together word by word, loaded, and attached.
 *
 * A program has ten registers: 1 is its argument, 0 what a helper returns, 1 to 5 what one is given
 * and spoils, 6 to 9 are kept, 10 is the end of 512 bytes of its stack. The kernel checks each
 * program before it runs: it ends, and touches no memory but its own, its maps' and the record of
 * the tracepoint.
 * Source: linux/bpf.h; bpf(2); Linux, Documentation/bpf/standardization/instruction-set.rst; of
 * uprobes: kernel/trace/bpf_trace.c, bpf_uprobe_multi_link_attach().
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROBE_BPF_WORDS = 192, PROBE_BPF_STACK = BPF_REG_10 };

struct probe_bpf {
    struct bpf_insn words[PROBE_BPF_WORDS];
    uint32_t count; /* above PROBE_BPF_WORDS: the program is too long */
};

/* A `size` is BPF_W (4 bytes) or BPF_DW (8). */

/** to = from */
void probe_bpf_move(struct probe_bpf *b, int to, int from);
/** to = the lower 4 bytes of from */
void probe_bpf_low(struct probe_bpf *b, int to, int from);
/** to = value */
void probe_bpf_set(struct probe_bpf *b, int to, int32_t value);
/** to = to OP value; BPF_ADD, BPF_SUB, BPF_RSH ... */
void probe_bpf_do(struct probe_bpf *b, int op, int to, int32_t value);
/** to = to OP from */
void probe_bpf_do_with(struct probe_bpf *b, int op, int to, int from);
/** to = memory at base + offset */
void probe_bpf_load(struct probe_bpf *b, int size, int to, int base, int offset);
/** memory at base + offset = from */
void probe_bpf_store(struct probe_bpf *b, int size, int base, int offset, int from);
/** memory at base + offset = value */
void probe_bpf_store_value(struct probe_bpf *b, int size, int base, int offset, int32_t value);
/** The 8 bytes of memory at base + offset += from, in one step for all processors */
void probe_bpf_count(struct probe_bpf *b, int base, int offset, int from);
/** to = the map */
void probe_bpf_map(struct probe_bpf *b, int to, int map);
/** Call a helper, BPF_FUNC_... */
void probe_bpf_call(struct probe_bpf *b, int helper);
/** Go on at a later place if `reg OP value`: BPF_JEQ, BPF_JNE, BPF_JLT ... Returns what
 * probe_bpf_land() takes. */
uint32_t probe_bpf_jump(struct probe_bpf *b, int op, int reg, int32_t value);
/** The same for `reg OP other`. */
uint32_t probe_bpf_jump_with(struct probe_bpf *b, int op, int reg, int other);
/** The jump leads to here. */
void probe_bpf_land(struct probe_bpf *b, uint32_t jump);
/** End the program with a value. A tracepoint is shown to others only if it is 1. */
void probe_bpf_end(struct probe_bpf *b, int32_t value);

/** Make a map. Returns its descriptor; -errno. */
int probe_bpf_new_map(uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t most);
/** Make a map of `most` numbers of 8 bytes by their index, all 0, whose memory is shared with this
 * process: *ret_numbers, of *ret_bytes bytes. Owner: munmap(). Returns its descriptor; -errno. */
int probe_bpf_new_numbers(uint32_t most, uint64_t **ret_numbers, size_t *ret_bytes);
/** Errors: -errno. */
int probe_bpf_put(int map, const void *key, const void *value);
/** Load a program and run it at the tracepoint with this number, on all processors, until the
 * returned descriptor is closed. Returns it; -E2BIG: the program is too long; -errno. */
int probe_bpf_attach(const struct probe_bpf *b, uint64_t tracepoint);

/** Places of a file where a program shall run. All is borrowed. */
struct probe_bpf_places {
    const char *path;
    const uint64_t *offsets, *semaphores; /* in the file; a semaphore may be 0 */
    const uint64_t *cookies;              /* what BPF_FUNC_get_attach_cookie returns at each */
    uint32_t count;
    bool are_returns; /* of the functions that begin at the offsets */
};

/** Load a program for uprobes. It must end with the value 0. Returns its descriptor; -E2BIG: the
 * program is too long; -errno. */
int probe_bpf_load_uprobes(const struct probe_bpf *b);
/** Whether this kernel can run the program at many uprobes of one process. Kernels before 6.10 have
 * links of that kind, but look at one thread of the process alone. */
bool probe_bpf_has_uprobes(int program);
/** Run the program at all these places when a thread of the process meets them, until the returned
 * descriptor is closed. Returns it; -errno. */
int probe_bpf_link_uprobes(int program, pid_t pid, const struct probe_bpf_places *at);
