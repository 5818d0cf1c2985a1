/*
 * asgst_code.h - which libraries are loaded: where their code lies, and which of them is the VM.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** Find libjvm.so: its path, PATH_MAX bytes, and its bias. 1, or 0: it is not loaded. */
int asgst_code_libjvm(char *ret_path, uint64_t *ret_bias);

/** Whether a library of this file name is mapped: libjvm.so, or libjli.so, which every java
 * launcher uses to load libjvm.so. */
bool asgst_code_is_mapped(const char *name);

/** Tell the walker what code is mapped now, if libraries came or went since the last call; and how
 * to leave its frames, once a walk has wanted that. One thread at a time. */
void asgst_code_refresh(void);
