/*
 * modules.c - see modules.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/modules.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { VDSO_MAX = 1 << 20 };

void modules_init(struct modules *m, struct image *image)
{
    *m = (struct modules){.image = image};
}

void modules_done(struct modules *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        struct module *module = m->rows[i];
        if (module->error == 0 && !module->copy)
            elf_file_close(&module->file);
        elf_functions_done(&module->functions);
        free(module->copy);
        free(module);
    }
    free(m->rows);
    m->rows = NULL;
    m->count = 0;
}

/* The map that shows the begin of the file: the map of the same file below `map` with the lowest
 * offset. The file may be mapped once more right below; that mapping ends where the offset begins
 * to grow again. */
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

/* Open the kernel's library from the memory of the image. Errors: 0, -ENOMEM, -EFAULT, E_*. */
static int open_vdso(struct image *image, struct module *module)
{
    const struct image_map *map = module->map;
    size_t len = (size_t)(map->end - map->start);
    if (len > VDSO_MAX)
        return E_FORMAT;
    module->copy = malloc(len);
    if (!module->copy)
        return -ENOMEM;
    int error = mem_read(image->mem, map->start, module->copy, len);
    return error < 0 ? error : elf_file_of_bytes(module->copy, len, &module->file);
}

static int open_module(struct image *image, struct module *module)
{
    return strcmp(module->map->path, IMAGE_VDSO) == 0
               ? open_vdso(image, module)
               : image->open_file(image, module->map, &module->file);
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
    module->error = open_module(m->image, module);
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

const struct elf_function *modules_function_at(struct module *module, uint64_t pc)
{
    return module->error < 0
               ? NULL
               : elf_functions_at(&module->functions, &module->file, pc - module->bias);
}
