/*
 * mem_self.h - the memory of the own process, read so that a bad address is a result.
 *
 * The loads are single instructions of assembler (mem_self_load.h). If one faults, the SIGSEGV or
 * SIGBUS handler that mem_self_open() put in front of the VM's recognises the address of the
 * instruction and lets them go on with an error; every other fault goes to the handler that was
 * there before, with the same arguments. So nothing changes for the VM's own faults.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/mem.h"
#include <signal.h>
#include <stdbool.h>

/** How faults of our loads are caught. */
enum mem_self_guard {
    MEM_SELF_HANDLER,   /* our handler in front of the VM's */
    MEM_SELF_SAFEFETCH, /* the VM's own SafeFetch routine: no handler is changed */
    MEM_SELF_SYSCALL,   /* process_vm_readv on ourselves: slow, needs nothing */
};

/** The memory of this process. Valid from mem_self_open() on; there is only one. */
extern struct mem mem_self;

/**
 * Make loads of mem_self safe. `safefetch` is the address of the VM's SafeFetchN for that guard.
 *
 * Call it after the VM has installed its own handlers (JVM TI: VMInit), else the VM's handler would
 * be in front. Reads one word each way before it returns, to see that the guard works.
 * Errors:  0; -errno of sigaction; -EFAULT the guard does not work (then nothing is changed).
 * Context: any, not signal; one thread.
 */
int mem_self_open(enum mem_self_guard guard, uint64_t safefetch);

/** Give the signals back, if nobody put a handler in front of ours since; else ours stays. */
void mem_self_close(void);

/** The caller has replaced the actions of all signals, also those of a handler that another agent
 * put in front of ours: mem_self_open() begins anew. */
void mem_self_replaced(void);

/**
 * 1 if loads may fail in a thread that the VM need not know, and that blocks these signals. 0: the
 * handler could not be called there; or SafeFetch guards, which JDK 8 does not expect in threads
 * other than its own. Context: signal.
 */
bool mem_self_may_fail(const sigset_t *blocked);

/** Reads one word. Errors: 0, -EFAULT. Context: signal. */
int mem_self_read_word(uint64_t addr, uint64_t *ret_word);
