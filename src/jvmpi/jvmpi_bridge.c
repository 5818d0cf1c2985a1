/*
 * jvmpi_bridge.c - see jvmpi_bridge.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_bridge.h"

struct jvmpi_bridge jvmpi_bridge;
