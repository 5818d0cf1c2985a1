/*
 * imports.h - hooks in place of the functions that loaded libraries import.
 *
 * A library calls a function of another library through a slot: a word that the dynamic linker
 * fills with the function's address. imports_patch() finds the slots of the functions in a table,
 * in every library, in the program, in libc and in the dynamic linker itself, and writes the
 * address of a hook there. The slots are those of JUMP_SLOT, GLOB_DAT and absolute relocations. A
 * hook calls what the slot held before, so an allocator in front of libc's, or a library with a
 * scope of its own (RTLD_DEEPBIND), keeps its own functions. The library that has this code is
 * left as it is.
 *
 * One hook function serves all slots that held the same address, its target. A row has
 * IMPORTS_TARGETS hooks; a slot with one more target is left alone, and counted.
 *
 * Why this is safe:
 * - Work is done outside of the linker's callback, on a copy of its list. Before a library is
 *   touched, it is opened again with RTLD_NOLOAD. This keeps it loaded meanwhile, and waits for a
 *   dlopen() that is still relocating it. A library that cannot be opened so is left alone.
 * - A slot changes by one compare and exchange of an aligned word. A page that may not be written
 *   (RELRO) is made writable for that moment and gets back the protection that /proc/self/maps
 *   named.
 * - A slot that the linker has not bound yet holds an address of its own library. Its function is
 *   looked up in the global scope and in the library's scope. If the two differ, the first is right
 *   unless the library was opened with RTLD_DEEPBIND, which nothing tells. A row may have a call
 *   that makes the linker bind one such slot (`bind`); it tells for the whole library. Otherwise
 *   the slot is left alone until the linker has bound it (`unsure`).
 * - imports_restore() keeps no list of slots, which could be gone. It finds the slots anew and
 *   changes those that hold a hook. A hook that was copied elsewhere, for example into a table of
 *   function pointers, may be called for ever: hooks and targets are never removed.
 * Context of everything here: any, not signal; one thread at a time for one table; no lock held
 * that a constructor of a library could wait for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { IMPORTS_TARGETS = 4 };

typedef void (*imports_function)(void);

/** A function that is replaced. */
struct imports_row {
    const char *name; /* its symbol */
    /* IMPORTS_TARGETS hooks; hook i calls targets[i] */
    const imports_function *hooks;
    _Atomic(imports_function) *targets;
    /** Whether slots that hold `target` are to be changed. NULL: all are. */
    bool (*wants)(imports_function target);
    /** Call the function, of which only the way through the linker is known, so that the call does
     * nothing else. NULL: there is no such call. */
    void (*bind)(imports_function unbound);
};

/** For `bind` of a function of which there are several versions: only the linker knows which one a
 * slot gets, so a slot that is not bound is left alone until it is. Does nothing. */
void imports_versioned(imports_function unbound);

struct imports_counts {
    uint64_t slots;    /* that were changed since the start */
    uint32_t unsure;   /* slots that the linker has not bound, and whose function is not certain */
    uint32_t crowded;  /* slots left alone: one target too many */
    uint32_t refused;  /* slots whose page could not be written */
    uint32_t unpinned; /* libraries that could not be opened again */
};

struct imports {
    const struct imports_row *rows;
    uint32_t row_count;
    const void *spared; /* an address in a library that is left as it is; NULL: there is none */
    struct imports_counts counts; /* of the last look, but `slots` */
    /* The fields below belong to imports.c. */
    unsigned long long changes; /* imports_list_changes() at the last look */
    bool has_looked;
    uint32_t looks_left; /* more looks are due, though the list has not changed */
};

/** Put the hooks into all slots that do not have them. Errors: the count of slots that were
 * changed; -ENOMEM: nothing was done. */
int imports_patch(struct imports *t);
/** Whether libraries have come or gone since the last look, or another look is due. Cheap. */
bool imports_is_due(struct imports *t);
/** Put the targets back into all slots that have a hook. Errors: as imports_patch(). */
int imports_restore(struct imports *t);

/** Whether two functions are in one library. */
bool imports_are_together(imports_function a, imports_function b);
/** The addresses, [*ret_low, *ret_high), of the library that has `address`; if that is NULL, of the
 * one whose path ends in `name`. Returns false, and an empty range: there is none. */
bool imports_range(const void *address, const char *name, uint64_t *ret_low, uint64_t *ret_high);

/** A library that replaces the allocator to check the program (sanitizers); such programs must not
 * be hooked. NULL: none is loaded. The text is static. */
const char *imports_sanitizer(void);
