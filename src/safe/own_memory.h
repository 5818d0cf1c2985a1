/*
 * own_memory.h - reads memory of the own process through the kernel: a bad address is an error.
 *
 * The function asks process_vm_readv. If a filter of system calls refuses that call, as default
 * profiles of containers and emulators do, the kernel copies the bytes through a pipe.
 * Source: process_vm_readv(2), pipe(7).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/** Copy `len` bytes at `addr`. Errors: 0; -EFAULT, also if neither way is open. Keeps errno.
 * Context: signal. */
int own_memory_read(uint64_t addr, void *dst, size_t len);
