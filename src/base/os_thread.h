/*
 * os_thread.h - threads of this process by the kernel's numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/** Whether no thread has this number: it has ended, and no later one has it. Context: any. */
static inline int os_thread_is_gone(pid_t tid)
{
    return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}
