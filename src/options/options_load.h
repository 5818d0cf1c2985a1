/*
 * options_load.h - what the option string says of the load of the process.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_load;
