/*
 * hprof_text_monitor.h - what monitor=y writes in addition to MONITOR TIME: WAIT and WAITED lines,
 * and MONITOR DUMP.
 *
 * Only for the text form: the binary form has no such records. Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct writer_monitors;
struct writer_out;
struct writer_wait;

/* Slots of struct writer. */
void hprof_text_monitor_wait(struct writer_out *o, const struct writer_wait *wait);
/** Also writes the TRACEs that are not in the file yet. */
void hprof_text_monitor_dump(struct writer_out *o, const struct writer_monitors *dump);
