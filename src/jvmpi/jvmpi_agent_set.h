/*
 * jvmpi_agent_set.h - a set of JVMPI agents, and how many of them one JVM may have.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum { JVMPI_AGENT_SET_MAX = 4 };

/** A set of agents, with one bit for each. */
typedef uint32_t jvmpi_agents;
