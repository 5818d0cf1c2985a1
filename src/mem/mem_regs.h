/*
 * mem_regs.h - convert registers from the kernel's form (ptrace, NT_PRSTATUS) to struct regs.
 *
 * The CPU is that of the data, not the host's.
 * Source: Linux arch/x86/include/asm/user_64.h, arch/arm64/include/uapi/asm/ptrace.h.
 * Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/regs.h"
#include <stddef.h>

/** bytes of the largest set of registers */
enum { MEM_REGS_BYTES_MAX = 272 };

/** `machine` is e_machine of ELF. Errors: 0; E_TRUNCATED; E_UNSUPPORTED the CPU is not known. */
int mem_regs_read(unsigned machine, const void *bytes, size_t len, struct regs *ret_regs);
