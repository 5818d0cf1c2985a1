/*
 * allocator.h - what glibc's malloc() has of the kernel, and the part of it that is free.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Bytes of all arenas; `mapped`: of blocks that are mappings of their own, and never kept. */
struct allocator {
    uint64_t taken, used, kept, mapped;
};

/**
 * Ask glibc. Each arena is locked while its lists of free blocks are read.
 * Errors: 0; E_UNSUPPORTED: this C library does not tell. Context: any, not signal.
 * Source: mallinfo2(3); before glibc 2.33 malloc_info(3), which since 2.30 counts the free end of
 * an arena, too.
 */
int allocator_read(struct allocator *ret);
/**
 * Have glibc give free pages of all arenas back to the kernel. Each arena is locked meanwhile.
 * Errors: 0; E_UNSUPPORTED: this C library does not do that. Context: any, not signal.
 * Source: malloc_trim(3), since glibc 2.8 for pages in the middle of an arena, too.
 */
int allocator_trim(void);
