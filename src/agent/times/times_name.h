/*
 * times_name.h - the methods of cpu=times in the model of the recordings.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct agent;

/**
 * The method with a number of methods.h; 0: the model has no room for its whole name. Context:
 * java, lock held.
 */
method_id times_name_method(struct agent *a, uint32_t number);
