/*
 * profile.h - the name under which the articles include asgst_classic.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst_classic.h"
