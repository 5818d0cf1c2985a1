/*
 * options_load.h - the option event=load, the load of the process, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_load;
