/*
 * walk_later.h - the walker that takes no stack in the handler.
 *
 * For VMs in which no stack can be read from a signal: the sample only says which thread was
 * running, and the drain thread asks the VM for its stack as soon as it can. So such stacks are of
 * a later moment, and biased to safepoints. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/walk.h"

extern const struct walker walk_later;
