/*
 * walkimage.c - see walkimage.h. Allocates nothing: the oracle records in a signal handler.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "walkimage.h"
#include <errno.h>

static struct walkimage_block *find(const struct walkimage_blocks *b, uint64_t addr,
                                    uint32_t *ret_slot)
{
    uint32_t slots = b->max * 2;
    uint32_t slot = (uint32_t)((addr / WALKIMAGE_BLOCK) * 0x9e3779b97f4a7c15u >> 33) % slots;
    while (b->slots[slot] != 0 && b->list[b->slots[slot] - 1].addr != addr)
        slot = (slot + 1) % slots;
    *ret_slot = slot;
    return b->slots[slot] == 0 ? NULL : &b->list[b->slots[slot] - 1];
}

int walkimage_add(struct walkimage_blocks *b, uint64_t addr, const unsigned char *bytes)
{
    uint32_t slot;
    if (find(b, addr, &slot))
        return 1;
    if (b->count == b->max)
        return 0;
    b->list[b->count].addr = addr;
    memcpy(b->list[b->count].bytes, bytes, WALKIMAGE_BLOCK);
    b->slots[slot] = ++b->count;
    return 1;
}

static const struct walkimage_block *block_at(struct walkimage_blocks *b, uint64_t addr)
{
    uint32_t slot;
    const struct walkimage_block *block = find(b, addr, &slot);
    if (block)
        return block;
    if (b->source) {
        unsigned char bytes[WALKIMAGE_BLOCK];
        if (mem_read(b->source, addr, bytes, sizeof(bytes)) == 0 && walkimage_add(b, addr, bytes))
            return find(b, addr, &slot);
        return NULL;
    }
    return b->below ? block_at(b->below, addr) : NULL;
}

static int read_blocks(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct walkimage_blocks *b = (struct walkimage_blocks *)m;
    unsigned char *out = dst;
    while (len > 0) {
        uint64_t start = addr - addr % WALKIMAGE_BLOCK;
        size_t skip = (size_t)(addr - start),
               n = WALKIMAGE_BLOCK - skip < len ? WALKIMAGE_BLOCK - skip : len;
        const struct walkimage_block *block = block_at(b, start);
        if (!block)
            return -EFAULT;
        memcpy(out, block->bytes + skip, n);
        out += n;
        addr += n;
        len -= n;
    }
    return 0;
}

static const struct mem_ops image_ops = {.read = read_blocks};

void walkimage_init(struct walkimage_blocks *b, struct mem *source, struct walkimage_block *list,
                    uint32_t max, uint32_t *slots)
{
    *b = (struct walkimage_blocks){
        .mem = {&image_ops}, .source = source, .max = max, .list = list, .slots = slots};
}
