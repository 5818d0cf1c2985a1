/*
 * image.c - see image.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/image.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "safe/search.h"

/* Make room for one more row in an array that grows at powers of two. */
static void *grow(void *rows, uint32_t count, size_t size)
{
    if (count != 0 && (count < 16 || (count & (count - 1)) != 0))
        return rows;
    return reallocarray(rows, count < 16 ? 16 : (size_t)count * 2, size);
}

int image_add_map(struct image *image, struct image_map map)
{
    struct image_map *rows = grow(image->maps, image->map_count, sizeof(*rows));
    if (!rows || !map.path) {
        free(map.path);
        return -ENOMEM;
    }
    image->maps = rows;
    rows[image->map_count++] = map;
    return 0;
}

struct image_thread *image_add_thread(struct image *image)
{
    struct image_thread *rows = grow(image->threads, image->thread_count, sizeof(*rows));
    if (!rows)
        return NULL;
    image->threads = rows;
    struct image_thread *thread = &rows[image->thread_count++];
    memset(thread, 0, sizeof(*thread));
    return thread;
}

static int by_start(const void *a, const void *b)
{
    const struct image_map *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

void image_sort(struct image *image)
{
    if (image->map_count > 0)
        qsort(image->maps, image->map_count, sizeof(*image->maps), by_start);
}

const struct image_map *image_map_at(const struct image *image, uint64_t addr)
{
    uint32_t below = SEARCH_UPTO(image->maps, image->map_count, end, addr);
    if (below == image->map_count || image->maps[below].start > addr)
        return NULL;
    return &image->maps[below];
}

const struct image_map *image_next_named(const struct image *image, const char *name,
                                         const struct image_map *after)
{
    uint32_t next = !after ? 0 : (uint32_t)(after - image->maps) + 1;
    for (uint32_t i = next; i < image->map_count; i++) {
        const char *slash = strrchr(image->maps[i].path, '/');
        if (image->maps[i].offset == 0 && slash && strcmp(slash + 1, name) == 0)
            return &image->maps[i];
    }
    return NULL;
}

struct image_thread *image_thread_inner(const struct image *image, pid_t tid)
{
    for (uint32_t i = 0; i < image->thread_count; i++) {
        if (image->threads[i].inner_tid == tid)
            return &image->threads[i];
    }
    return NULL;
}

void image_done(struct image *image)
{
    for (uint32_t i = 0; i < image->map_count; i++)
        free(image->maps[i].path);
    free(image->maps);
    free(image->threads);
    image->maps = NULL;
    image->threads = NULL;
    image->map_count = image->thread_count = 0;
}

/* ---- registers */

/* The index in the kernel's array of rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8..r15. */
static const unsigned char x86_order[16] = {10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0};
enum { X86_RIP = 16, X86_WORDS = 27, ARM_SP = 31, ARM_PC = 32, ARM_WORDS = 34 };

int image_read_regs(unsigned machine, const void *bytes, size_t len, struct regs *ret_regs)
{
    uint64_t words[ARM_WORDS];
    size_t want = machine == EM_AARCH64 ? ARM_WORDS : X86_WORDS;
    if (machine != EM_AARCH64 && machine != EM_X86_64)
        return E_UNSUPPORTED;
    if (len < want * sizeof(*words))
        return E_TRUNCATED;
    memcpy(words, bytes, want * sizeof(*words));
    memset(ret_regs, 0, sizeof(*ret_regs));
    if (machine == EM_AARCH64) {
        memcpy(ret_regs->r, words, 31 * sizeof(*words));
        ret_regs->fp = words[29];
        ret_regs->lr = words[30];
        ret_regs->sp = words[ARM_SP];
        ret_regs->pc = words[ARM_PC];
        return 0;
    }
    for (int i = 0; i < 16; i++)
        ret_regs->r[i] = words[x86_order[i]];
    ret_regs->pc = words[X86_RIP];
    ret_regs->sp = ret_regs->r[4];
    ret_regs->fp = ret_regs->r[5];
    return 0;
}
