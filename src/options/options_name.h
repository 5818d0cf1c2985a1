/*
 * options_name.h - the name of a file with places: %p the process id, %t the time, %n the number of
 * the file (%n{MAX} begins again behind MAX files), %{ENV} a variable of the environment, %c a
 * comma, which would end the option, %% a percent sign.
 *
 * The places are those of async-profiler, so its users' names mean the same. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the names of several turns differ. */
bool options_name_turns(const char *pattern);
/** The MAX of its %n{MAX}; 0: it has none. */
uint32_t options_name_cycle(const char *pattern);
/**
 * Writes the name of the file number `turn`, from 0. Errors: 0; E_LIMIT, it has no room;
 * E_NOT_FOUND, the environment has no variable of the name that `ret` is then.
 */
int options_name_expand(const char *pattern, uint32_t turn, char *ret, size_t size);
