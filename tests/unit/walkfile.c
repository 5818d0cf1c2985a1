/*
 * walkfile.c - see walkfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "walkfile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALKS_MAX = 32 };

static void require(int is_so)
{
    if (is_so)
        return;
    fputs("walkfile: a file of tests/data/walk is damaged or missing\n", stderr);
    abort();
}

static void get(FILE *f, void *dst, size_t len)
{
    require(fread(dst, 1, len, f) == len);
}

static void read_blocks(FILE *f, struct walkimage_blocks *b)
{
    uint32_t count;
    get(f, &count, 4);
    require(count >= 1 && count <= WALKIMAGE_BLOCKS_MAX);
    walkimage_init(b, NULL, calloc(count, sizeof(struct walkimage_block)), count,
                   calloc((size_t)count * 2, sizeof(uint32_t)));
    for (uint32_t i = 0; i < count; i++) {
        struct walkimage_block block;
        get(f, &block.addr, 8);
        get(f, block.bytes, WALKIMAGE_BLOCK);
        require(walkimage_add(b, block.addr, block.bytes));
    }
}

static void read_walk(FILE *f, struct walkfile_walk *w)
{
    uint32_t has_regs;
    get(f, &w->thread, 8);
    get(f, &has_regs, 4);
    get(f, &w->regs, sizeof(w->regs));
    w->has_regs = (int)has_regs;
    read_blocks(f, &w->blocks);
    get(f, &w->count, 4);
    require(w->count >= 1 && w->count <= WALKFILE_FRAMES_MAX);
    for (uint32_t i = 0; i < w->count; i++) {
        struct walkfile_frame *e = &w->frames[i];
        uint16_t len;
        get(f, &e->frame.method, 8);
        get(f, &e->frame.bci, 4);
        get(f, &e->frame.kind, 1);
        get(f, &e->frame.level, 1);
        get(f, &len, 2);
        require(len >= 1 && len <= sizeof(e->text) - 1);
        get(f, e->text, len);
    }
}

void walkfile_open(const char *name, struct walkfile *ret_file)
{
    char path[1024], magic[8];
    uint32_t len;
    struct walkfile m = {0};
    snprintf(path, sizeof(path), "%s/walk/%s.img", getenv("TEST_DATA"), name);
    FILE *f = fopen(path, "r");
    require(f != NULL);
    get(f, magic, 8);
    require(memcmp(magic, WALKIMAGE_MAGIC, 8) == 0);
    get(f, &m.bias, 8);
    get(f, &len, 4);
    require(len >= 64 && len <= 65536);
    m.elf_bytes = malloc(len);
    get(f, m.elf_bytes, len);
    require(elf_file_of_bytes(m.elf_bytes, len, &m.elf) == 0);
    read_blocks(f, &m.blocks);
    get(f, &m.walk_count, 4);
    require(m.walk_count >= 1 && m.walk_count <= WALKS_MAX);
    m.walks = calloc(m.walk_count, sizeof(*m.walks));
    for (uint32_t i = 0; i < m.walk_count; i++)
        read_walk(f, &m.walks[i]);
    fclose(f);
    *ret_file = m;
}

static void free_blocks(struct walkimage_blocks *b)
{
    free(b->list);
    free(b->slots);
}

void walkfile_close(struct walkfile *m)
{
    for (uint32_t i = 0; i < m->walk_count; i++)
        free_blocks(&m->walks[i].blocks);
    free_blocks(&m->blocks);
    free(m->walks);
    free(m->elf_bytes);
}
