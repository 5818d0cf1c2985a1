/*
 * imports_library.c - see imports_library.h.
 *
 * glibc has added the bias to the addresses in the dynamic section, musl has not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_library.h"
#include <dlfcn.h>
#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT, ABSOLUTE = R_X86_64_64 };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT, ABSOLUTE = R_AARCH64_ABS64 };
#else
#error "this CPU's relocations are not known"
#endif

void imports_library_read(const struct dl_phdr_info *info, struct imports_library *ret)
{
    *ret = (struct imports_library){
        .bias = info->dlpi_addr, .low = UINT64_MAX, .tls_module = info->dlpi_tls_modid};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t at = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD) {
            ret->low = at < ret->low ? at : ret->low;
            ret->high = at + segment->p_memsz > ret->high ? at + segment->p_memsz : ret->high;
        } else if (segment->p_type == PT_DYNAMIC) {
            ret->dynamic = (const ElfW(Dyn) *)(uintptr_t)at;
        }
    }
    ret->path = strdup(info->dlpi_name ? info->dlpi_name : "");
}

/* The parts of the dynamic section that name imports. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    uint64_t strings_bytes;
    const ElfW(Rela) * relocations[2]; /* those of data, and those of calls */
    uint64_t bytes[2];
    const uint32_t *hash, *gnu_hash; /* NULL: the library has not got this one */
};

static const void *pointer(const struct imports_library *l, uint64_t value)
{
    return (const void *)(uintptr_t)(value < l->low ? value + l->bias : value);
}

static bool find_tables(const struct imports_library *l, struct tables *ret)
{
    enum { DATA, CALLS };
    *ret = (struct tables){0};
    for (const ElfW(Dyn) *d = l->dynamic; d && d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            ret->symbols = pointer(l, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            ret->strings = pointer(l, d->d_un.d_ptr);
            break;
        case DT_HASH:
            ret->hash = pointer(l, d->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            ret->gnu_hash = pointer(l, d->d_un.d_ptr);
            break;
        case DT_STRSZ:
            ret->strings_bytes = d->d_un.d_val;
            break;
        case DT_RELA:
            ret->relocations[DATA] = pointer(l, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            ret->bytes[DATA] = d->d_un.d_val;
            break;
        case DT_JMPREL:
            ret->relocations[CALLS] = pointer(l, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            ret->bytes[CALLS] = d->d_un.d_val;
            break;
        case DT_PLTREL:
            if (d->d_un.d_val != DT_RELA)
                return false; /* no library of these CPUs has it */
            break;
        default:
            break;
        }
    }
    return ret->symbols && ret->strings;
}

static bool is_wanted(const char *name, uint64_t initials)
{
    unsigned char first = (unsigned char)name[0];
    return first >= 64 && first < 128 && initials >> (first - 64) & 1;
}

static void visit_one(const struct imports_library *l, const struct tables *t, uint64_t initials,
                      const ElfW(Rela) * r,
                      void (*visit)(void *arg, const struct imports_slot *slot), void *arg)
{
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    if (type != JUMP_SLOT && type != GLOB_DAT && (type != ABSOLUTE || r->r_addend != 0))
        return;
    const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(r->r_info)];
    uint64_t at = l->bias + r->r_offset;
    if (symbol->st_name >= t->strings_bytes || at % sizeof(uint64_t) != 0 || at < l->low ||
        at >= l->high || !is_wanted(t->strings + symbol->st_name, initials))
        return;
    const struct imports_slot slot = {
        .name = t->strings + symbol->st_name,
        .at = (uint64_t *)(uintptr_t)at,
        .own = symbol->st_shndx != SHN_UNDEF ? l->bias + symbol->st_value : 0,
        .may_be_lazy = type == JUMP_SLOT,
    };
    visit(arg, &slot);
}

bool imports_library_has(const struct imports_library *l, uint64_t address)
{
    return address >= l->low && address < l->high;
}

bool imports_library_is_this(const struct imports_library *l)
{
    return imports_library_has(l, (uint64_t)(uintptr_t)imports_library_is_this);
}

void imports_library_slots(const struct imports_library *l, uint64_t initials,
                           void (*visit)(void *arg, const struct imports_slot *slot), void *arg)
{
    struct tables t;
    if (!find_tables(l, &t))
        return;
    for (int table = 0; table < 2; table++) {
        uint64_t count = t.relocations[table] ? t.bytes[table] / sizeof(ElfW(Rela)) : 0;
        for (uint64_t i = 0; i < count; i++)
            visit_one(l, &t, initials, &t.relocations[table][i], visit, arg);
    }
}

void *imports_library_pin(const struct imports_library *l)
{
    struct link_map *map = NULL;
    void *handle = dlopen(l->path[0] ? l->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map &&
        (const ElfW(Dyn) *)map->l_ld == l->dynamic && map->l_addr == l->bias)
        return handle;
    dlclose(handle);
    return NULL;
}

/* ---- a symbol */

static bool is_named(const struct tables *t, const ElfW(Sym) * symbol, const char *name)
{
    return symbol->st_shndx != SHN_UNDEF && symbol->st_name < t->strings_bytes &&
           strcmp(t->strings + symbol->st_name, name) == 0;
}

/* Source: the GNU hash section: counts, a Bloom filter, buckets, and chains whose last word is odd.
 */
static const ElfW(Sym) * by_gnu_hash(const struct tables *t, const char *name)
{
    enum { BUCKETS, FIRST, FILTER_WORDS, SHIFT, HEAD };
    const uint32_t *h = t->gnu_hash, *buckets = h + HEAD + (size_t)h[FILTER_WORDS] * 2,
                   *chains = buckets + h[BUCKETS];
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t at = h[BUCKETS] ? buckets[hash % h[BUCKETS]] : 0;
    while (at >= h[FIRST] && at != 0) {
        uint32_t chained = chains[at - h[FIRST]];
        if ((chained | 1) == (hash | 1) && is_named(t, &t->symbols[at], name))
            return &t->symbols[at];
        if (chained & 1)
            return NULL;
        at++;
    }
    return NULL;
}

/* Source: System V ABI, "Hash Table": the second number is that of the symbols. */
static const ElfW(Sym) * by_hash(const struct tables *t, const char *name)
{
    for (uint32_t i = 1; i < t->hash[1]; i++)
        if (is_named(t, &t->symbols[i], name))
            return &t->symbols[i];
    return NULL;
}

const ElfW(Sym) * imports_library_defined(const struct imports_library *l, const char *name)
{
    struct tables t;
    if (!find_tables(l, &t))
        return NULL;
    if (t.gnu_hash)
        return by_gnu_hash(&t, name);
    return t.hash ? by_hash(&t, name) : NULL;
}
