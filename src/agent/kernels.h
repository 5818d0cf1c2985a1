/*
 * kernels.h - kernel=y: whether the kernel shows its frames, and what its functions are called.
 *
 * The names come from /proc/kallsyms, read once: some 5 MB for as long as the process lives,
 * outside of mem=. A module that is loaded later has no names. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/profile.h"

struct agent;
struct timer_source;

/**
 * Whether threads timed by `source` can have kernel frames; if not, says why on one line and what
 * to do about it. Context: any, not signal.
 */
int kernels_can(const struct timer_source *source);

/** Read the names, some 100 ms; later calls do nothing. Context: any, not signal; no lock. */
void kernels_load(void);

/**
 * The model's frame of an address in the kernel: class = "kernel" or the module, method = function
 * with "_[k]" behind it, "[unknown]_[k]" where the kernel does not say. 0: no memory. Needs the
 * agent's lock.
 */
frame_id kernels_frame(struct agent *a, uint64_t address);
/** Whether it is the frame of all addresses without a name. Needs the agent's lock. */
int kernels_is_unknown(frame_id frame);
/** Another model comes. */
void kernels_forget(void);
