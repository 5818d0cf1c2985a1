/*
 * verify_entry.h - the shadow stack against GetStackTrace, at the entry of injected methods.
 *
 * Only some of the entries are compared: one comparison takes as long as thousands of calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct hs_layout;

/** Begin, about `per_second` times a second. Context: any. */
void verify_entry_start(jvmtiEnv *jvmti, const struct hs_layout *layout, uint32_t per_second);
void verify_entry_stop(void);
/** A method was entered and pushed: compare, if it is time again. Context: java, on its thread. */
void verify_entry_compare(JNIEnv *env);
