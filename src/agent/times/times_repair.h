/*
 * times_repair.h - ends open calls that an exception has ended without being noticed.
 *
 * A method with probes closes the open calls below it when it catches an exception. A method
 * without probes does not: include= or exclude= may leave it out, or it was entered before the
 * agent came. What this method calls next would count as called by the method that threw, deeper
 * each time. So before a new path begins, the open calls are compared with the thread's stack.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct times_block;

/** Turn times_repair() on. Errors: 0; -ENOMEM: it does nothing. */
int times_repair_start(jvmtiEnv *jvmti);
/**
 * The current thread, with the block `b`, enters method `id`: end its open calls that are not on
 * its stack. If the stack has more than some hundred frames, at most as many calls stay open as
 * there are frames, plus an eighth. `sp` is any address in the caller's frame. Context: java.
 */
void times_repair(JNIEnv *env, struct times_block *b, int32_t id, uintptr_t sp, int64_t now);
/** The call for which times_repair() was called has begun, and is open now. */
void times_repair_entered(struct times_block *b, uintptr_t sp);
