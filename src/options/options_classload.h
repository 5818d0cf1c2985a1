/*
 * options_classload.h - the option event=classload, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_classload;
