/*
 * frame_kernel.h - frames of the kernel, whose number is an address in it.
 *
 * A frame's class is "kernel" or the module, its method the function with "_[k]" behind it, or
 * "[unknown]_[k]" where the kernel does not say. The names come from /proc/kallsyms, read once:
 * some 5 MB for as long as the process lives, outside of mem=. A module that is loaded later has no
 * names. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Read the names, some 100 ms; later calls do nothing. Context: any, not signal; no lock. */
void frame_kernel_load(void);
