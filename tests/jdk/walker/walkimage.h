/*
 * walkimage.h - a recorded memory image: what a walk read, so that it can be repeated without a
 * JVM.
 *
 * File, little-endian: "hswalk1\n"; u64 bias, u32 length of a small ELF file with the VM's symbols,
 * that file; a block list (what reading the layout touched); u32 number of walks; per walk a u64
 * thread, u32 has_regs, 36 u64 registers, a block list, u32 number of frames, and per frame u64
 * method, i32 bci, u8 kind, u8 level, u16 length of a text "class.name signature:line", the text.
 * A block list is u32 count, then per block u64 address and 32 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem.h"
#include "safe/regs.h"

#define WALKIMAGE_MAGIC "hswalk1\n"
enum {
    WALKIMAGE_BLOCK = 32,
    WALKIMAGE_BLOCKS_MAX = 65536,
};

struct walkimage_block {
    uint64_t addr;
    unsigned char bytes[WALKIMAGE_BLOCK];
};

/** A set of blocks that reads as a memory; what is missing is a fault. `below` is asked second. */
struct walkimage_blocks {
    struct mem mem;
    struct mem *source; /* recording: read here, keep the blocks; NULL when replaying */
    struct walkimage_blocks *below;
    uint32_t count, max;
    struct walkimage_block *list;
    uint32_t *slots; /* hash of addresses: index + 1; twice as many slots as `max` */
};

/** Prepare over zeroed `list` and `slots`. */
void walkimage_init(struct walkimage_blocks *b, struct mem *source, struct walkimage_block *list,
                    uint32_t max, uint32_t *slots);
/** Add a block; used by readers of the file. 1, or 0 full. */
int walkimage_add(struct walkimage_blocks *b, uint64_t addr, const unsigned char *bytes);
