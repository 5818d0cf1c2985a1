/*
 * options_gc.h - what the option string says of collections: only that they are measured.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_gc;
