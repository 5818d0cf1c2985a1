/*
 * vmthread.h - the kernel's thread id of a JavaThread, from the VM's own tables.
 *
 * Needed only for threads that were there before the agent. Reads the own process through
 * process_vm_readv, so an address that is gone is an error, not a crash.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** The tid of the thread whose JavaThread is at `java_thread`; 0: not known. Context: any. */
int32_t vmthread_tid(uint64_t java_thread);
