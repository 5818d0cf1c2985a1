/*
 * fuzz_class.h - what an injection into a class file promises, for the targets that inject.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "classfile/instrument.h"

/** Inject with so much memory, read the result again. Aborts when a promise is broken. */
void fuzz_class_inject(const struct instrument_probe *const *probes, uint32_t probe_count,
                       const uint8_t *bytes, size_t len, size_t budget);
/** Aborts when probes injected at once are not the same as one after the other. */
void fuzz_class_inject_in_turn(const struct instrument_probe *const *probes, uint32_t probe_count,
                               const uint8_t *bytes, size_t len);
