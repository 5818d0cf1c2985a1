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

/* There are 500 to 1500; a number beyond this is damage. */
enum { FLAGS_MAX = 10000 };

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

/* 1 if the C string at `addr` is `name`. */
static bool is_string(const struct target *t, uint64_t addr, const char *name)
{
    char text[64];
    size_t len = strlen(name) + 1;
    if (len > sizeof(text) || addr == 0)
        return false;
    /* The first byte decides mostly, and keeps us from reading across the end of a mapping. */
    if (mem_read(t->mem, addr, text, 1) < 0 || text[0] != name[0])
        return false;
    return mem_read(t->mem, addr, text, len) == 0 && memcmp(text, name, len) == 0;
}

uint64_t target_flag(const struct target *t, const char *name, size_t size, uint64_t otherwise)
{
    const char *type = "JVMFlag";
    uint64_t row_size;
    if (!vmtables_find(&t->tables, 't', type, "", &row_size)) {
        type = "Flag";
        if (!vmtables_find(&t->tables, 't', type, "", &row_size))
            return otherwise;
    }
    int32_t name_at = target_field(t, type, "_name", -1),
            addr_at = target_field(t, type, "_addr", -1);
    uint64_t flags = target_static_value(t, type, "flags", 8);
    uint64_t count = target_static_value(t, type, "numFlags", 8);
    if (name_at < 0 || addr_at < 0 || flags == 0 || count > FLAGS_MAX)
        return otherwise;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = flags + i * row_size, value = 0;
        if (!is_string(t, target_u8(t, row + (uint64_t)name_at), name))
            continue;
        uint64_t addr = target_u8(t, row + (uint64_t)addr_at);
        return mem_read(t->mem, addr, &value, size) < 0 ? otherwise : value;
    }
    return otherwise;
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

/* Open the VM whose library begins at `map`. */
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
 * A process may map the file of its libjvm.so for reading beside the library that is loaded: our
 * own agent does, for symbols. In such a mapping the tables' pointers are what the file has, before
 * relocation, and lead nowhere; so the library is the mapping whose tables can be read. A fact that
 * is missing was looked for in tables that could be read, so that error outweighs the others.
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
