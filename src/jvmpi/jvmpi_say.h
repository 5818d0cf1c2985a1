/*
 * jvmpi_say.h - what libjvmpi.so tells its user, a line at a time, on standard error.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** A line, "libjvmpi: " before it. Context: any, not signal. */
void jvmpi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
