/*
 * times_repair.h - calls that an exception has ended and nobody saw end.
 *
 * A method closes what is open below it when it catches an exception. One without probes does not:
 * one that include= or exclude= leaves out, or that was entered before the agent came. What it
 * calls next would count as called by the method that threw, deeper each time. So before a new
 * path begins, the open calls are compared with the thread's stack.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct times_block;

/** From now on times_repair() does something. Errors: 0, -ENOMEM: it does nothing. */
int times_repair_start(jvmtiEnv *jvmti);
/**
 * The current thread, whose block this is, enters method `id`: end its calls that are not on its
 * stack. In stacks of more than some hundred frames no more calls stay open than there are frames,
 * and an eighth. `sp` is any address of the caller's frame. Context: java.
 */
void times_repair(JNIEnv *env, struct times_block *b, int32_t id, uintptr_t sp, int64_t now);
/** The call that times_repair() has looked at has begun, and is open now. */
void times_repair_entered(struct times_block *b, uintptr_t sp);
