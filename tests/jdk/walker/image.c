/*
 * image.c - see image.h. Allocates nothing: the oracle records in a signal handler.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image.h"
#include <errno.h>

static struct image_block *find(const struct image_blocks *b, uint64_t addr, uint32_t *ret_slot)
{
    uint32_t slots = b->max * 2;
    uint32_t slot = (uint32_t)((addr / IMAGE_BLOCK) * 0x9e3779b97f4a7c15u >> 33) % slots;
    while (b->slots[slot] != 0 && b->list[b->slots[slot] - 1].addr != addr)
        slot = (slot + 1) % slots;
    *ret_slot = slot;
    return b->slots[slot] == 0 ? NULL : &b->list[b->slots[slot] - 1];
}

int image_add(struct image_blocks *b, uint64_t addr, const unsigned char *bytes)
{
    uint32_t slot;
    if (find(b, addr, &slot) != NULL)
        return 1;
    if (b->count == b->max)
        return 0;
    b->list[b->count].addr = addr;
    memcpy(b->list[b->count].bytes, bytes, IMAGE_BLOCK);
    b->slots[slot] = ++b->count;
    return 1;
}

static const struct image_block *block_at(struct image_blocks *b, uint64_t addr)
{
    uint32_t slot;
    const struct image_block *block = find(b, addr, &slot);
    if (block != NULL)
        return block;
    if (b->source != NULL) {
        unsigned char bytes[IMAGE_BLOCK];
        if (mem_read(b->source, addr, bytes, sizeof bytes) == 0 && image_add(b, addr, bytes))
            return find(b, addr, &slot);
        return NULL;
    }
    return b->below != NULL ? block_at(b->below, addr) : NULL;
}

static int read_blocks(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct image_blocks *b = (struct image_blocks *)m;
    unsigned char *out = dst;
    while (len > 0) {
        uint64_t start = addr - addr % IMAGE_BLOCK;
        size_t skip = (size_t)(addr - start),
               n = IMAGE_BLOCK - skip < len ? IMAGE_BLOCK - skip : len;
        const struct image_block *block = block_at(b, start);
        if (block == NULL)
            return -EFAULT;
        memcpy(out, block->bytes + skip, n);
        out += n;
        addr += n;
        len -= n;
    }
    return 0;
}

static const struct mem_ops image_ops = {read_blocks};

void image_init(struct image_blocks *b, struct mem *source, struct image_block *list, uint32_t max,
                uint32_t *slots)
{
    *b = (struct image_blocks){
        .mem = {&image_ops}, .source = source, .max = max, .list = list, .slots = slots};
}
