/*
 * options_onoom.h - the trigger onoom=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_onoom;
