/*
 * javalock.c - see javalock.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/javalock.h"
#include <stddef.h>
#include <string.h>

bool javalock_is_blocker(const char *class_name)
{
    /* The blocker is an object of an inner class, for example Semaphore$FairSync, so prefixes are
     * compared. */
    static const char *const locks_begin[] = {
        "java.util.concurrent.locks.ReentrantLock",
        "java.util.concurrent.locks.ReentrantReadWriteLock",
        "java.util.concurrent.locks.StampedLock",
        "java.util.concurrent.Semaphore",
    };

    for (size_t i = 0; i < sizeof(locks_begin) / sizeof(*locks_begin); i++)
        if (strncmp(class_name, locks_begin[i], strlen(locks_begin[i])) == 0)
            return true;
    return false;
}
