/*
 * hprof_bin.h - the pieces that the records of the binary form have in common.
 *
 * Layouts: docs/format/hprof-binary.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/profile.h"

struct hprof_out;

/** The head of a record: tag, microseconds since the header's time, length of the body. */
void hprof_bin_head(struct hprof_out *o, uint8_t tag, uint32_t body_bytes);
/** An identifier, of as many bytes as the file has. */
void hprof_bin_id(struct hprof_out *o, uint32_t id);
/** The LOAD CLASS record of a class that has none yet. */
void hprof_bin_class(struct hprof_out *o, class_id klass);
