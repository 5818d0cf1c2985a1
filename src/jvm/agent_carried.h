/*
 * agent_carried.h - the agent library inside the command: libhprof.so of the same build, without
 * debug information.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

extern const unsigned char agent_carried_bytes[], agent_carried_end[];
