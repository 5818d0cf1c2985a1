/*
 * walk_later.h - the walker that takes no stack in the handler.
 *
 * This walker is for VMs in which no stack can be read from a signal. The sample only says which
 * thread was running, and the drain thread asks the VM for the stack of that thread as soon as it
 * can. Such a stack is therefore of a later moment, and biased to safepoints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/walk.h"

extern const struct walker walk_later;
