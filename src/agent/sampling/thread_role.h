/*
 * thread_role.h - what a thread that is not a Java thread does, judged by its name.
 * Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/quality.h"

enum thread_role {
    THREAD_ROLE_GC,
    THREAD_ROLE_COMPILER,
    THREAD_ROLE_VM,
    THREAD_ROLE_NATIVE,
    THREAD_ROLE_COUNT,
};

/** `name` is the kernel's name of the thread, at most 15 characters. */
enum thread_role thread_role_of(const char *name);
/** The quality count for the CPU time of threads with this role. */
enum quality thread_role_quality(enum thread_role role);
