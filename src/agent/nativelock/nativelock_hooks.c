/*
 * nativelock_hooks.c - see nativelock_hooks.h.
 *
 * A lock that is free costs the hook one try in place of the call, and nothing is measured. The
 * function that tries must be of the library whose function waits, since only that library knows
 * what its locks look like; a slot that leads elsewhere is left alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/nativelock/nativelock_hooks.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include "imports/imports_each.h"
#include "safe/lockhook.h"

/* ---- the hooks of one name: one for each target */

/* NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters */

/* Calls the target, and measures the call. */
#define MEASURED(name, i, what, parameters, arguments, is_late)                                    \
    struct lockhook_wait wait;                                                                     \
    if (!lockhook_begin(&wait, lock, LOCKHOOK_##what, (uintptr_t)__builtin_frame_address(0),       \
                        (uint64_t)(uintptr_t)__builtin_return_address(0)))                         \
        return IMPORTS_NEXT(name, int(*) parameters, i) arguments;                                 \
    int result = IMPORTS_NEXT(name, int(*) parameters, i) arguments;                               \
    const struct hookwalk_caller caller = hookwalk_caller_here();                                  \
    lockhook_end(&wait, is_late, &caller);                                                         \
    return result;

/* Locks: `try` returns 0, EBUSY, or an error that the target tells better. */
#define LOCKER(name, i, what, parameters, arguments, try)                                          \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        if (!hookring_is_on(&lockhook.base))                                                       \
            return IMPORTS_NEXT(name, int(*) parameters, i) arguments;                             \
        int tried = try(lock);                                                                     \
        if (tried == 0 || tried == EOWNERDEAD)                                                     \
            return tried;                                                                          \
        if (tried != EBUSY)                                                                        \
            return IMPORTS_NEXT(name, int(*) parameters, i) arguments;                             \
        MEASURED(name, i, what, parameters, arguments, result == ETIMEDOUT)                        \
    }
#define MUTEX(name, i, what, parameters, arguments)                                                \
    LOCKER(name, i, what, parameters, arguments, pthread_mutex_trylock)
#define READER(name, i, what, parameters, arguments)                                               \
    LOCKER(name, i, what, parameters, arguments, pthread_rwlock_tryrdlock)
#define WRITER(name, i, what, parameters, arguments)                                               \
    LOCKER(name, i, what, parameters, arguments, pthread_rwlock_trywrlock)

/* Conditions, which cannot be tried. */
#define WAITER(name, i, what, parameters, arguments)                                               \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        MEASURED(name, i, what, parameters, arguments, result == ETIMEDOUT)                        \
    }

/* Semaphores: the error is in errno. */
#define TAKER(name, i, what, parameters, arguments)                                                \
    static int name##_##i parameters                                                               \
    {                                                                                              \
        if (!hookring_is_on(&lockhook.base))                                                       \
            return IMPORTS_NEXT(name, int(*) parameters, i) arguments;                             \
        int saved = errno;                                                                         \
        if (sem_trywait(lock) == 0)                                                                \
            return 0;                                                                              \
        errno = saved;                                                                             \
        MEASURED(name, i, what, parameters, arguments, result != 0 && errno == ETIMEDOUT)          \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

#define HOOK(name, FORM, what, wants, bind, ...) IMPORTS_EACH(FORM, name, what, __VA_ARGS__)
#include "agent/nativelock/nativelock_hooks.def"
#undef HOOK

/* ---- the table */

static bool is_with_mutexes(imports_function target)
{
    return imports_are_together(target, (imports_function)pthread_mutex_trylock);
}

static bool is_with_rwlocks(imports_function target)
{
    return imports_are_together(target, (imports_function)pthread_rwlock_tryrdlock);
}

static bool is_with_semaphores(imports_function target)
{
    return imports_are_together(target, (imports_function)sem_trywait);
}

const struct imports_row nativelock_hooks[] = {
#define HOOK(name, FORM, what, wants, bind, ...) {#name, hooks_##name, targets_##name, wants, bind},
#include "agent/nativelock/nativelock_hooks.def"
#undef HOOK
};
const uint32_t nativelock_hooks_count = sizeof(nativelock_hooks) / sizeof(nativelock_hooks[0]);
