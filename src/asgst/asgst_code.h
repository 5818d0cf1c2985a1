/*
 * asgst_code.h - which libraries are loaded: where their code lies, and which of them is the VM.
 *
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Find libjvm.so. *ret_path, of PATH_MAX bytes, becomes its path, *ret_bias its load bias. Returns
 * 1, or 0 if libjvm.so is not loaded. */
int asgst_code_libjvm(char *ret_path, uint64_t *ret_bias);

/** Whether a library with this file name is mapped. The library asks for libjvm.so, and for
 * libjli.so, with which every java launcher loads libjvm.so. */
bool asgst_code_is_mapped(const char *name);

/** Tell the walker where code is mapped now, if libraries were loaded or unloaded since the last
 * call. After a walk has asked for them, also tell the walker the unwind rules of this code. One
 * thread at a time. */
void asgst_code_refresh(void);
