/*
 * mem_self_load.h - the loads that may fault, and what the CPU's file must say about them.
 *
 * The routines need no stack and keep their return address where a call left it, so the handler
 * only has to continue at mem_self_fixup, which returns the error. One file per CPU implements
 * this; the build picks it. Context: signal. Reads the address given, and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/** Errors: 0; -EFAULT, `dst` not written (the copy: partly written). */
int mem_self_load8(uint64_t addr, void *dst);
int mem_self_load4(uint64_t addr, void *dst);
int mem_self_load2(uint64_t addr, void *dst);
int mem_self_load1(uint64_t addr, void *dst);
int mem_self_load_bytes(uint64_t addr, void *dst, size_t len);

/** Continue after a fault if the interrupted instruction is one of ours. 1 if it was, else 0. */
int mem_self_load_fixup(void *ucontext);
