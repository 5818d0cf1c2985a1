/*
 * hprof_save_monitors.h - writes the threads and monitors that a reader found as a MONITOR DUMP.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct writer_out;

/** Writes nothing if the file that was read had no dump. Errors: 0, -ENOMEM. */
int hprof_save_monitors(struct writer_out *out);
