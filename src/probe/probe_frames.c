/*
 * probe_frames.c - see probe_frames.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_frames.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "jvm/stack_print.h"
#include "mem/mem_live.h"
#include "probe/probe_counts.h"
#include "probe/probe_open.h"
#include "probe/probe_ring.h"
#include "safe/clock.h"
#include "snapshot/copied_stack.h"

enum {
    LOOK_AGAIN_MS = 100,
#if defined(__aarch64__)
    CALLS_SAVE_BELOW = 1, /* a call leaves its return address in a register */
#else
    CALLS_SAVE_BELOW = 0,
#endif
};

struct probe_frames_walker {
    struct copied_stack stacks;
    pid_t pid;
    uint64_t code_start, code_end;                 /* of the kernel in the process; 0: none yet */
    uint64_t looked_ns;                            /* when it was looked for */
    unsigned char copy[PROBE_RING_STACK_MOST + 8]; /* of a stack that is changed */
};

int probe_frames_open(struct mem_live *live, unsigned machine, struct probe_frames_walker **ret,
                      const char **ret_missing)
{
    struct probe_frames_walker *w = *ret = calloc(1, sizeof(*w));
    if (!w)
        return -ENOMEM;
    w->pid = live->pid;
    return copied_stack_open(live, machine, &w->stacks, ret_missing);
}

void probe_frames_close(struct probe_frames_walker *w)
{
    if (w)
        copied_stack_close(&w->stacks);
    free(w);
}

/* ---- return addresses */

/* Find the code that the kernel has put into the process. It comes with the first probe there, and
 * stays. Source: Linux, kernel/events/uprobes.c: xol_add_vma(), its name in /proc/PID/maps. */
static void find_code(struct probe_frames_walker *w)
{
    char path[64], line[512];
    uint64_t now_ns = clock_monotonic_ns();
    if (w->code_start ||
        (w->looked_ns && now_ns - w->looked_ns < (uint64_t)LOOK_AGAIN_MS * NS_PER_MS))
        return;
    w->looked_ns = now_ns;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)w->pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof(line), maps)) {
        char *end;
        if (!strstr(line, "[uprobes]"))
            continue;
        w->code_start = strtoull(line, &end, 16);
        w->code_end = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
    }
    if (maps)
        fclose(maps);
}

bool probe_frames_is_trampoline(struct probe_frames_walker *w, uint64_t address)
{
    find_code(w);
    return w->code_start && address >= w->code_start && address < w->code_end;
}

/* Put the return addresses back that the kernel has replaced. Returns the bytes to walk in. */
static const unsigned char *restore(struct probe_frames_walker *w, const struct probe_ring_hit *hit,
                                    uint64_t sp, const struct probe_open *calls)
{
    find_code(w);
    if (!calls || !w->code_start || hit->stack_bytes > sizeof(w->copy))
        return hit->stack;
    bool is_copied = false;
    for (uint64_t at = 0; hit->stack_bytes - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, hit->stack + at, sizeof(word));
        const struct probe_open_hit *call =
            word >= w->code_start && word < w->code_end
                ? probe_open_call(calls, hit->tid, sp + at, CALLS_SAVE_BELOW)
                : NULL;
        if (!call)
            continue;
        if (!is_copied)
            memcpy(w->copy, hit->stack, hit->stack_bytes);
        is_copied = true;
        memcpy(w->copy + at, &call->return_to, sizeof(call->return_to));
    }
    return is_copied ? w->copy : hit->stack;
}

bool probe_frames_walk(struct probe_frames_walker *w, const struct probe_ring_hit *hit,
                       const struct probe_open *calls, struct probe_counts *counts,
                       struct copied_stack_result *ret)
{
    struct copied_stack_of of = {.tid = hit->tid, .time_ns = hit->time_ns, .len = hit->stack_bytes};
    if (!hit->stack || !probe_ring_regs(hit, &of.regs))
        return false;
    of.bytes = restore(w, hit, of.regs.sp, calls);
    if (copied_stack_walk(&w->stacks, &of, ret) != 0)
        return false;
    counts->stacks.walked++;
    counts->stacks.cut += ret->is_cut;
    counts->stacks.frozen += ret->is_frozen;
    counts->stacks.broken += ret->is_broken;
    return true;
}

/* ---- what is kept */

bool probe_frames_keep(const struct copied_stack_result *stack, bool is_json,
                       struct probe_frames *ret)
{
    *ret =
        (struct probe_frames){.is_walked = true,
                              .is_cut = stack->is_cut,
                              .is_known = !stack->is_broken,
                              .is_whole = !stack->is_cut && !stack->is_frozen && !stack->is_broken};
    FILE *to = open_memstream(&ret->text, &ret->len);
    if (!to)
        return false;
    for (uint32_t i = 0; i < stack->count; i++) {
        if (is_json && i > 0)
            putc(',', to);
        if (is_json)
            stack_print_frame_json(to, &stack->frames[i]);
        else
            stack_print_frame(to, &stack->frames[i]);
    }
    bool is_bad = fclose(to) != 0;
    ret->thread_name = stack->thread_name ? strdup(stack->thread_name) : NULL;
    return !is_bad;
}

void probe_frames_done(struct probe_frames *f)
{
    free(f->text);
    free(f->thread_name);
    *f = (struct probe_frames){0};
}

void probe_frames_put(struct sink *out, const struct probe_frames *f, bool is_json)
{
    if (!is_json) {
        if (f->thread_name) {
            sink_text(out, "  thread=");
            sink_text(out, f->thread_name);
        }
        sink_u1(out, '\n');
        sink_bytes(out, f->text ? f->text : "", f->len);
        if (f->is_walked && (f->is_cut || !f->is_known))
            sink_text(out, f->is_cut ? "\t... (the copied stack ends here)\n"
                                     : "\t... (callers are not known)\n");
        return;
    }
    if (f->thread_name) {
        sink_text(out, ",\"thread_name\":");
        json_out_text(out, f->thread_name, strlen(f->thread_name));
    }
    sink_text(out, ",\"stack\":[");
    sink_bytes(out, f->text ? f->text : "", f->len);
    sink_printf(out, "],\"stack_is_whole\":%s", f->is_whole ? "true" : "false");
}
