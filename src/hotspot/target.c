/*
 * target.c - see target.h.
 * Source: HotSpot vmStructs.cpp, jvmFlag.hpp (globals.hpp in JDK 8).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/target.h"
#include "hotspot/layout.h"
#include "base/err.h"
#include "safe/mem.h"
#include <string.h>

uint64_t target_u8(const struct target *t, uint64_t addr)
{
    uint64_t value = 0;
    return mem_read(t->mem, addr, &value, sizeof(value)) < 0 ? 0 : value;
}

uint32_t target_u4(const struct target *t, uint64_t addr)
{
    uint32_t value = 0;
    return mem_read(t->mem, addr, &value, sizeof(value)) < 0 ? 0 : value;
}

int32_t target_field(const struct target *t, const char *type, const char *name, int32_t otherwise)
{
    uint64_t value;
    return vmtables_find(&t->tables, 'f', type, name, &value) ? (int32_t)value : otherwise;
}

int32_t target_constant(const struct target *t, const char *name, int32_t otherwise)
{
    uint64_t value;
    return vmtables_find(&t->tables, 'i', name, "", &value) ? (int32_t)value : otherwise;
}

int32_t target_size(const struct target *t, const char *type)
{
    uint64_t value;
    return vmtables_find(&t->tables, 't', type, "", &value) ? (int32_t)value : -1;
}

uint64_t target_static(const struct target *t, const char *type, const char *name)
{
    uint64_t value;
    return vmtables_find(&t->tables, 's', type, name, &value) ? value : 0;
}

uint64_t target_static_value(const struct target *t, const char *type, const char *name,
                             size_t size)
{
    uint64_t addr = target_static(t, type, name), value = 0;
    return addr == 0 || mem_read(t->mem, addr, &value, size) < 0 ? 0 : value;
}

int target_of_vm(struct hotspot *vm, struct target *ret_target)
{
    struct target *t = ret_target;
    uint64_t symbols[VMTABLES_SYMBOL_COUNT];
    memset(t, 0, sizeof(*t));
    t->vm = vm;
    t->mem = vm->mem;
    t->layout = &vm->layout;
    elf_file_symbols(&vm->libjvm, vmtables_symbols, symbols, VMTABLES_SYMBOL_COUNT);
    for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++)
        symbols[i] += vm->bias;
    return vmtables_open(t->mem, symbols, &t->tables);
}

/* Open the VM whose library is mapped at `map`. */
static int open_at(struct image *image, const struct image_map *map, struct target *ret_target,
                   const char **ret_missing)
{
    struct elf_file libjvm;
    struct hotspot *vm;
    int error = image->open_file(image, map, &libjvm);
    if (error < 0)
        return error;
    uint64_t bias = map->start - map->offset - elf_file_base(&libjvm);
    error = hotspot_open(image->mem, &libjvm, bias, LAYOUT_walk | LAYOUT_names | LAYOUT_threads,
                         &vm, ret_missing);
    if (error < 0)
        return error;
    error = target_of_vm(vm, ret_target);
    if (error < 0) {
        target_close(ret_target);
        memset(ret_target, 0, sizeof(*ret_target));
    }
    return error;
}

/*
 * A process may map the file of its libjvm.so for reading, in addition to the loaded library: our
 * own agent does this for symbols. In such a mapping the pointers of the tables are those of the
 * file, before relocation, and lead nowhere. Therefore the library is the mapping whose tables can
 * be read. The error E_FACT_MISSING means that tables could be read, so it is preferred to other
 * errors.
 */
int target_open(struct image *image, struct target *ret_target, const char **ret_missing)
{
    int first_error = E_NOT_FOUND;
    memset(ret_target, 0, sizeof(*ret_target));
    *ret_missing = "";
    const struct image_map *map = image_next_named(image, "libjvm.so", NULL);
    for (; map; map = image_next_named(image, "libjvm.so", map)) {
        const char *missing = "";
        int error = open_at(image, map, ret_target, &missing);
        if (error == 0) {
            ret_target->image = image;
            return 0;
        }
        if (first_error == E_NOT_FOUND || error == E_FACT_MISSING) {
            first_error = error;
            *ret_missing = missing;
        }
    }
    return first_error;
}

int target_open_self(struct target *ret_target, const char **ret_missing)
{
    struct hotspot *vm;
    memset(ret_target, 0, sizeof(*ret_target));
    int error = hotspot_open_own(LAYOUT_names, &vm, ret_missing);
    return error < 0 ? error : target_of_vm(vm, ret_target);
}

void target_close(struct target *t)
{
    vmtables_done(&t->tables);
    hotspot_close(t->vm);
    t->vm = NULL;
}

int target_text(const struct target *t, uint64_t addr, char *dst, size_t size)
{
    enum { PAGE = 4096 };
    size_t len = 0;
    *dst = '\0';
    if (addr == 0)
        return -1;
    while (len + 1 < size) {
        size_t n = PAGE - (size_t)((addr + len) % PAGE); /* not across a page: memory may end */
        const char *end;
        n = n < size - 1 - len ? n : size - 1 - len;
        if (mem_read(t->mem, addr + len, dst + len, n) < 0) {
            *dst = '\0';
            return -1;
        }
        end = memchr(dst + len, '\0', n);
        if (end)
            return (int)(end - dst);
        len += n;
    }
    dst[len] = '\0';
    return (int)len;
}
