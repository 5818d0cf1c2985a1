/*
 * jvmpi_agents.h - the agents in this JVM, and the table of functions that each agent gets.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/**
 * The table of the agent whose code has the address `caller`. An agent is a library, and gets one
 * table however often it asks. NULL: there are JVMPI_AGENT_SET_MAX agents already.
 * Context: any, not signal.
 */
JVMPI_Interface *jvmpi_agents_table(const void *caller);
