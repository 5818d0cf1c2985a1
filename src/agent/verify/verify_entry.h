/*
 * verify_entry.h - compares the shadow stack with GetStackTrace at the entry of injected methods.
 *
 * Only some entries are compared, because one comparison takes as long as thousands of calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct hs_layout;

/** Begin to compare, about `per_second` times a second. Context: any. */
void verify_entry_start(jvmtiEnv *jvmti, const struct hs_layout *layout, uint32_t per_second);
void verify_entry_stop(void);
/**
 * A method was entered and pushed: compare if it is time for that. Context: java, on the method's
 * thread.
 */
void verify_entry_compare(JNIEnv *env);
