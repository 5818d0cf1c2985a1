/*
 * jvmpi_agent_set.h - how many agents written for JVMPI there may be in one JVM, and a set of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { JVMPI_AGENT_SET_MAX = 4 };

/** A set of agents: the bit of each. */
typedef uint32_t jvmpi_agents;
