/*
 * fuzz.h - what a fuzz target is.
 *
 * The name and shape are libFuzzer's; replay.c calls it in the same way.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
