/*
 * options_general.h - the rows that no engine owns: what concerns the file and all engines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"
#include "options/options_row.h"

extern const struct options_row options_general_rows[]; /* the last has no name */
extern const struct options options_general_defaults;
