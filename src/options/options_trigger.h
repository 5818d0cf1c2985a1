/*
 * options_trigger.h - the group of the engine that watches for triggers; each trigger has its own
 * options.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_trigger;
