/*
 * nativemem_hooks.c - see nativemem_hooks.h.
 *
 * The order of steps gives a block one owner (safe/blockset.h): a hook tells of a new block after
 * the target has returned it, and takes a block out before the target gets it. The hook of
 * realloc() takes the block out first, and puts it back if the target has failed.
 *
 * operator new and delete have hooks only where they are the allocator's own, as those of jemalloc
 * and tcmalloc are. Those of the C++ library call malloc() and free(), which have hooks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/nativemem/nativemem_hooks.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* ---- the hooks of one name: one for each target */

#define NEXT(name, type, i) ((type)atomic_load_explicit(&targets_##name[i], memory_order_relaxed))
#define EACH(OF, name, ...)                                                                        \
    static _Atomic(imports_function) targets_##name[IMPORTS_TARGETS];                              \
    OF(name, 0, __VA_ARGS__)                                                                       \
    OF(name, 1, __VA_ARGS__)                                                                       \
    OF(name, 2, __VA_ARGS__)                                                                       \
    OF(name, 3, __VA_ARGS__)                                                                       \
    static const imports_function hooks_##name[] = {                                               \
        (imports_function)name##_0, (imports_function)name##_1, (imports_function)name##_2,        \
        (imports_function)name##_3};                                                               \
    _Static_assert(sizeof(hooks_##name) / sizeof(hooks_##name[0]) == IMPORTS_TARGETS,              \
                   "a hook for each target");

/* NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters */

/* Functions that return a new block of `bytes`. */
#define MAKER(name, i, parameters, arguments, bytes)                                               \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        return made(own, NEXT(name, void *(*)parameters, i) arguments, bytes);                     \
    }

/* Functions that get a block back; `block` is their first parameter. */
#define FREER(name, i, parameters, arguments)                                                      \
    static void name##_##i parameters                                                              \
    {                                                                                              \
        gone(block);                                                                               \
        NEXT(name, void(*) parameters, i) arguments;                                               \
    }

/* Functions that may move a block; `block` is their first parameter. */
#define MOVER(name, i, parameters, arguments, bytes)                                               \
    static void *name##_##i parameters                                                             \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        int32_t slot = memhook_take(block);                                                        \
        uint64_t now_ns = slot == BLOCKSET_NONE ? 0 : memhook_now();                               \
        return moved(own, slot, now_ns, NEXT(name, void *(*)parameters, i) arguments, bytes);      \
    }

/* posix_memalign(), which returns the block through its first parameter. */
#define PLACER(name, i, parameters, arguments, bytes)                                              \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        struct memhook_own *own = memhook_enter();                                                 \
        int error = NEXT(name, int(*) parameters, i) arguments;                                    \
        made(own, error == 0 ? *ret : NULL, bytes);                                                \
        return error;                                                                              \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

#define HOOK(name, FORM, wants, bind, ...) EACH(FORM, name, __VA_ARGS__)
#include "agent/nativemem/nativemem_hooks.def"
#undef HOOK

/* ---- the table */

/* Whether the target of operator new or delete is in the library that malloc() is in. */
static bool is_allocator(imports_function target)
{
    Dl_info of_target, of_malloc;
    void *at, *allocator = dlsym(RTLD_DEFAULT, "malloc");
    memcpy(&at, &target, sizeof(at));
    return allocator && dladdr(at, &of_target) != 0 && dladdr(allocator, &of_malloc) != 0 &&
           of_target.dli_fbase == of_malloc.dli_fbase;
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
