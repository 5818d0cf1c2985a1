/*
 * jvmpi_self.c - see jvmpi_self.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_self.h"

__thread struct jvmpi_self jvmpi_self;
