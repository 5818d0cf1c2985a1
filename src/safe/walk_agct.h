/*
 * walk_agct.h - the walker that asks the VM: AsyncGetCallTrace.
 *
 * AsyncGetCallTrace is an undocumented but exported function of HotSpot since JDK 1.4, made for
 * profilers. It gives up in 10 to 20 per cent of the moments, and needs the jmethodID of every
 * method to exist beforehand.
 * Source: HotSpot forte.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/walk.h"

extern const struct walker walk_agct;

/** Tell the walker where AsyncGetCallTrace is, before the first signal. Context: any. */
void walk_agct_prepare(void *function);
