/*
 * options_general.h - the rows that no engine owns: options of the file and of all engines.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"
#include "options/options_row.h"

extern const struct options_row options_general_rows[]; /* ends with a row without a name */
extern const struct options options_general_defaults;
