/*
 * life_agent.h - the only agent of this library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct agent;

extern struct agent life_agent;
