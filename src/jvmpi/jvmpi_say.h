/*
 * jvmpi_say.h - messages of libjvmpi.so for its user, one line each, on standard error.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Print a line that begins with "libjvmpi: ". Context: any, not signal. */
void jvmpi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
