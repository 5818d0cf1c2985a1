/*
 * mem_self.h - the memory of the own process, read so that a bad address is a result.
 *
 * Each load is a single instruction of assembler (mem_self_load.h). mem_self_open() installs a
 * handler of SIGSEGV and SIGBUS in front of the VM's handler. If one of our loads faults, this
 * handler recognises the address of the instruction and lets the thread go on with an error. Every
 * other fault goes to the handler that was installed before, with the same arguments; nothing
 * changes for the VM's own faults.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem.h"
#include <signal.h>
#include <stdbool.h>

/** The ways to catch faults of our loads. */
enum mem_self_guard {
    MEM_SELF_HANDLER,   /* our handler in front of the VM's */
    MEM_SELF_SAFEFETCH, /* the VM's own SafeFetch routine: no handler is changed */
    MEM_SELF_SYSCALL,   /* process_vm_readv on ourselves, or a pipe if it is refused: slow */
};

/** The memory of this process. Valid from mem_self_open() on; there is only one. */
extern struct mem mem_self;

/**
 * Make loads of mem_self safe. `safefetch` is the address of the VM's SafeFetchN, for that guard.
 *
 * Call this function after the VM has installed its own handlers (JVM TI: VMInit); otherwise the
 * VM's handler would be in front. Before it returns, the function reads one readable and one
 * unreadable word, to check that the guard works.
 * Errors:  0; -errno of sigaction; -EFAULT the guard does not work (then nothing is changed).
 * Context: any, not signal; one thread.
 */
int mem_self_open(enum mem_self_guard guard, uint64_t safefetch);

/** Restore the handlers that were installed before ours. If another handler was put in front of
 * ours since, ours stays. */
void mem_self_close(void);

/** Tell mem_self that the caller has replaced the actions of all signals, including a handler that
 * another agent put in front of ours. mem_self_open() then begins anew. */
void mem_self_replaced(void);

/**
 * Whether loads may fail in a thread that the VM need not know and that blocks these signals. False
 * in two cases: the kernel could not call the handler in that thread, or the guard is SafeFetch,
 * which JDK 8 expects in its own threads only. Context: signal.
 */
bool mem_self_may_fail(const sigset_t *blocked);

/** Read one word. Errors: 0, -EFAULT. Context: signal. */
int mem_self_read_word(uint64_t addr, uint64_t *ret_word);
