/*
 * imports_library.h - one loaded library: its slots of imported functions.
 *
 * Everything is read from the library's memory; the caller keeps the library loaded meanwhile.
 * Source: System V ABI, x86-64 and aarch64 supplements.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/** A library of the linker's list. */
struct imports_library {
    uint64_t bias;             /* address in memory less address in the file */
    uint64_t low, high;        /* its segments lie in [low, high) */
    const ElfW(Dyn) * dynamic; /* NULL: it has none */
    size_t tls_module;         /* the number of its thread-local storage; 0: it has none */
    char *path;                /* "" for the program itself */
};

/** A slot of an imported function. */
struct imports_slot {
    const char *name; /* of its symbol */
    uint64_t *at;
    uint64_t own;     /* address of the library's own definition of the symbol; 0: it has none */
    bool may_be_lazy; /* the linker may bind it at its first use */
};

/** Read what dl_iterate_phdr() says of a library. Its path is the caller's to free; NULL: no
 * memory. */
void imports_library_read(const struct dl_phdr_info *info, struct imports_library *ret);
/** Whether an address is in the library. */
bool imports_library_has(const struct imports_library *l, uint64_t address);
/** Whether the library is the one that has this code. */
bool imports_library_is_this(const struct imports_library *l);
/**
 * Call `visit` for each slot of a symbol whose name begins with one of `initials` (a bit for each
 * of the characters 64 to 127).
 */
void imports_library_slots(const struct imports_library *l, uint64_t initials,
                           void (*visit)(void *arg, const struct imports_slot *slot), void *arg);
/**
 * Keep the library loaded. NULL: it is gone, or the name leads to another library. Owner:
 * dlclose(). No lock may be held that a constructor of a library could wait for.
 */
void *imports_library_pin(const struct imports_library *l);
/** The library's own definition of a symbol. NULL: it has none. */
const ElfW(Sym) * imports_library_defined(const struct imports_library *l, const char *name);
