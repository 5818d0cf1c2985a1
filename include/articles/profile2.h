/*
 * profile2.h - the name under which the articles include asgst.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst.h"
