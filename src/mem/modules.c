/*
 * modules.c - see modules.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/modules.h"
#include <stdlib.h>
#include <string.h>
#include "safe/search.h"

void modules_init(struct modules *m, struct image *image)
{
    *m = (struct modules){.image = image};
}

void modules_done(struct modules *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->rows[i]->error == 0)
            elf_file_close(&m->rows[i]->file);
        free(m->rows[i]->functions);
        free(m->rows[i]);
    }
    free(m->rows);
    m->rows = NULL;
    m->count = 0;
}

/* The map of the same file with the lowest offset below `map`: where the file begins. The file may
 * be mapped once more right below; that mapping ends where the file begins again. */
static const struct image_map *first_map(const struct image *image, const struct image_map *map)
{
    const struct image_map *first = map;
    for (; first->offset != 0 && map > image->maps && strcmp(map[-1].path, first->path) == 0;
         map--) {
        if (map[-1].offset > first->offset)
            break;
        first = &map[-1];
    }
    return first;
}

struct module *modules_find(struct modules *m, uint64_t pc)
{
    const struct image_map *map = image_map_at(m->image, pc);
    if (!map)
        return NULL;
    const struct image_map *first = first_map(m->image, map);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->rows[i]->map == first)
            return m->rows[i];
    }
    struct module **rows = reallocarray(m->rows, m->count + 1, sizeof(void *));
    struct module *module = calloc(1, sizeof(*module));
    if (rows)
        m->rows = rows;
    if (!rows || !module) {
        free(module);
        return NULL;
    }
    const char *slash = strrchr(first->path, '/');
    module->map = first;
    module->name = !slash ? first->path : slash + 1;
    module->error = m->image->open_file(m->image, first, &module->file);
    if (module->error == 0) {
        module->bias = first->start - first->offset - elf_file_base(&module->file);
        module->has_frames = eh_frame_open(&module->file, &module->frames) == 0;
    }
    rows[m->count++] = module;
    return module;
}

int modules_row(struct module *module, uint64_t pc, struct cfi_row *ret_row)
{
    return module->has_frames && eh_frame_find(&module->frames, pc - module->bias, ret_row);
}

static int add_function(void *arg, const char *name, uint64_t value, uint64_t size)
{
    struct module *module = arg;
    uint32_t n = module->function_count;
    if (n == 0 || (n >= 256 && (n & (n - 1)) == 0)) {
        struct modules_function *rows =
            reallocarray(module->functions, n == 0 ? 256 : (size_t)n * 2, sizeof(*rows));
        if (!rows)
            return 1;
        module->functions = rows;
    }
    module->functions[module->function_count++] = (struct modules_function){value, size, name};
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct modules_function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

const struct modules_function *modules_function_at(struct module *module, uint64_t pc)
{
    uint64_t addr = pc - module->bias;
    if (module->error < 0)
        return NULL;
    if (!module->functions_are_read) {
        module->functions_are_read = 1;
        elf_file_each_function(&module->file, add_function, module);
        if (module->function_count > 0)
            qsort(module->functions, module->function_count, sizeof(*module->functions), by_start);
    }
    uint32_t upto = SEARCH_UPTO(module->functions, module->function_count, start, addr);
    if (upto == 0)
        return NULL;
    const struct modules_function *f = &module->functions[upto - 1];
    return addr - f->start < f->size ? f : NULL;
}
