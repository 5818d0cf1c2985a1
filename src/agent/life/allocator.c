/*
 * allocator.c - see allocator.h. The functions are looked up by name: musl has none of them, and
 * mallinfo2() is newer than the oldest glibc that the agent runs with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/allocator.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

/* struct mallinfo2 of malloc.h */
struct sums {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

/* The number in `name="…"` behind the last place where the text has `element`. */
static uint64_t last_number(const char *text, const char *element, const char *name)
{
    const char *last = NULL, *at;
    for (const char *next = text; (next = strstr(next, element)) != NULL; next++)
        last = next;
    at = last ? strstr(last, name) : NULL;
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* The sums of all arenas are the last lines of the text. */
static int read_text(int (*info)(int, FILE *), struct allocator *ret)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int error = out ? info(0, out) : -1;
    if (out && fclose(out) != 0)
        error = -1;
    if (error == 0) {
        ret->taken = last_number(text, "<system type=\"current\"", "size=\"");
        ret->mapped = last_number(text, "<total type=\"mmap\"", "size=\"");
        ret->kept = last_number(text, "<total type=\"fast\"", "size=\"") +
                    last_number(text, "<total type=\"rest\"", "size=\"");
        ret->used = ret->taken > ret->kept ? ret->taken - ret->kept : 0;
    }
    free(text);
    return error == 0 ? 0 : E_UNSUPPORTED;
}

int allocator_read(struct allocator *ret)
{
    struct sums (*mallinfo2)(void) = (struct sums(*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
    int (*malloc_info)(int, FILE *) = (int (*)(int, FILE *))dlsym(RTLD_DEFAULT, "malloc_info");
    *ret = (struct allocator){0};
    if (!mallinfo2)
        return malloc_info ? read_text(malloc_info, ret) : E_UNSUPPORTED;
    struct sums sums = mallinfo2();
    *ret = (struct allocator){
        .taken = sums.arena, .used = sums.uordblks, .kept = sums.fordblks, .mapped = sums.hblkhd};
    return 0;
}

int allocator_trim(void)
{
    int (*trim)(size_t) = (int (*)(size_t))dlsym(RTLD_DEFAULT, "malloc_trim");
    if (!trim)
        return E_UNSUPPORTED;
    (void)trim(0);
    return 0;
}
