/*
 * log.h - the agent's messages, on stderr. The only place in the agent that prints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** "HPROF ERROR: <message>", one line. Context: any, not signal. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** "HPROF: <message>", one line. Context: any, not signal. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** A piece of a line, as it is. Context: any, not signal. */
void log_piece(const char *text);
