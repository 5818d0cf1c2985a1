/*
 * frame_kernel.h - frames of the kernel, whose number is an address in the kernel.
 *
 * The class of such a frame is "kernel" or the name of the module. Its method is the function with
 * "_[k]" behind it, for example "vfs_read_[k]", or "[unknown]_[k]" if the kernel does not tell the
 * function. The names come from /proc/kallsyms, which is read once. They take some 5 MB as long as
 * the process lives, and mem= does not count them. A module that is loaded later has no names.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Read the names, which takes some 100 ms. Later calls do nothing. Context: any, not signal; no
 * lock. */
void frame_kernel_load(void);
/** The number in /proc/sys/kernel/`name`; -1 if it cannot be read. Context: any, not signal. */
long frame_kernel_setting(const char *name);
