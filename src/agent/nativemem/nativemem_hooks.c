/*
 * nativemem_hooks.c - see nativemem_hooks.h.
 *
 * The order of steps gives a block one owner (safe/blockset.h): a hook tells of a new block after
 * the target has returned it, and takes a block out before the target gets it. The hook of
 * realloc() takes the block out first, and puts it back if the target has failed.
 *
 * operator new and delete have hooks only where they are the allocator's own, as those of jemalloc
 * and tcmalloc are. Those of the C++ library call malloc() and free(), which have hooks.
 *
 * Ranges of pages are told of after the call, because a call may fail. What an allocator maps while
 * it serves malloc() is its own business, but what it unmaps is told of: the range may have been
 * mapped by somebody else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/nativemem/nativemem_hooks.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include "imports/imports_each.h"
#include "safe/memhook.h"

/* ---- what the hooks do */

HOOKWALK_CODE void *made(struct memhook_own *own, void *block, size_t bytes)
{
    if (own)
        memhook_leave(own, block, bytes);
    return block;
}

HOOKWALK_CODE void gone(const void *block)
{
    int32_t slot = memhook_take(block);
    if (slot != BLOCKSET_NONE)
        memhook_given(slot, memhook_now());
}

/* The target of a realloc() has returned `block`; the slot is that of the block before. */
HOOKWALK_CODE void *moved(struct memhook_own *own, int32_t slot, uint64_t now_ns, void *block,
                          size_t bytes)
{
    /* A size of 0 frees the block; otherwise NULL says that nothing has changed. */
    if (slot != BLOCKSET_NONE && (block || !bytes))
        memhook_given(slot, now_ns);
    else if (slot != BLOCKSET_NONE)
        memhook_kept(slot);
    return made(own, block, bytes);
}

/* A product that is too large is a failure, and not a size of 0. */
static size_t product(size_t a, size_t b)
{
    size_t bytes;
    return __builtin_mul_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

/* The target of an mmap() has returned `range`; the call began at `began_ns`. */
HOOKWALK_CODE void *mapped(struct memhook_own *own, void *range, size_t bytes, int protection,
                           bool replaces, uint64_t began_ns)
{
    bool is_done = began_ns && range != MAP_FAILED;
    if (is_done && own && protection != PROT_NONE) {
        const struct hookwalk_caller caller = hookwalk_caller_here();
        memhook_mapped(range, bytes, &caller);
    } else if (is_done && replaces) {
        memhook_unmapped(range, bytes, began_ns);
    }
    if (own)
        own->inside = 0;
    return range;
}

/* ---- the hooks of one name: one for each target */

/* NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters */

/* Functions that return a new block of `bytes`. */
#define MAKER(name, i, parameters, arguments, bytes)                                               \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        return made(own, IMPORTS_NEXT(name, void *(*)parameters, i) arguments, bytes);             \
    }

/* Functions that get a block back; `block` is their first parameter. */
#define FREER(name, i, parameters, arguments)                                                      \
    static void name##_##i parameters                                                              \
    {                                                                                              \
        gone(block);                                                                               \
        IMPORTS_NEXT(name, void(*) parameters, i) arguments;                                       \
    }

/* Functions that may move a block; `block` is their first parameter. */
#define MOVER(name, i, parameters, arguments, bytes)                                               \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        int32_t slot = memhook_take(block);                                                        \
        uint64_t now_ns = slot == BLOCKSET_NONE ? 0 : memhook_now();                               \
        return moved(own, slot, now_ns, IMPORTS_NEXT(name, void *(*)parameters, i) arguments,      \
                     bytes);                                                                       \
    }

/* posix_memalign(), which returns the block through its first parameter. */
#define PLACER(name, i, parameters, arguments, bytes)                                              \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        int error = IMPORTS_NEXT(name, int(*) parameters, i) arguments;                            \
        made(own, error == 0 ? *ret : NULL, bytes);                                                \
        return error;                                                                              \
    }

/* mmap(). */
#define MAPPER(name, i, parameters, arguments)                                                     \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        uint64_t began_ns = memhook_range_begins();                                                \
        return mapped(own, IMPORTS_NEXT(name, void *(*)parameters, i) arguments, bytes,            \
                      protection, flags & MAP_FIXED, began_ns);                                    \
    }

/* munmap(). */
#define UNMAPPER(name, i, parameters, arguments)                                                   \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        uint64_t began_ns = memhook_range_begins();                                                \
        int error = IMPORTS_NEXT(name, int(*) parameters, i) arguments;                            \
        if (began_ns && error == 0)                                                                \
            memhook_unmapped(range, bytes, began_ns);                                              \
        return error;                                                                              \
    }

/* mremap(), whose last argument is there only with some flags; if it is not, what is passed on is
 * not looked at. An old size of 0 leaves the old range as it is. */
#define REMAPPER(name, i, parameters, arguments)                                                   \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        uint64_t began_ns = memhook_range_begins();                                                \
        void *ret = IMPORTS_NEXT(name, void *(*)parameters, i) arguments;                          \
        if (began_ns && ret != MAP_FAILED && old_bytes)                                            \
            memhook_unmapped(range, old_bytes, began_ns);                                          \
        return mapped(own, ret, bytes, PROT_READ, true, began_ns);                                 \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

#define HOOK(name, FORM, wants, bind, ...) IMPORTS_EACH(FORM, name, __VA_ARGS__)
#include "agent/nativemem/nativemem_hooks.def"
#undef HOOK

/* ---- the table */

/* Whether the target of operator new or delete is in the library that malloc() is in. */
static bool is_allocator(imports_function target)
{
    imports_function allocator = (imports_function)dlsym(RTLD_DEFAULT, "malloc");
    return allocator && imports_are_together(target, allocator);
}

/* To free nothing is the one call that does nothing. */
static void free_nothing(imports_function unbound)
{
    ((void (*)(void *))unbound)(NULL);
}

const struct imports_row nativemem_hooks[] = {
#define HOOK(name, FORM, wants, bind, ...) {#name, hooks_##name, targets_##name, wants, bind},
#include "agent/nativemem/nativemem_hooks.def"
#undef HOOK
};
const uint32_t nativemem_hooks_count = sizeof(nativemem_hooks) / sizeof(nativemem_hooks[0]);
