/*
 * jfr_setting.h - the settings that a recording says it was made with: its jdk.ActiveSetting
 * events. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "jfr/jfr_value.h"

struct jfr_setting {
    const struct jfr_type *about; /* the type of events that is set; NULL: the chunk has it not */
    struct jfr_value name, value; /* texts, for example "period" and "20 ms" */
};

/** Read a jdk.ActiveSetting. Returns false if its type does not have the fields of one. Context:
 * any. */
bool jfr_setting_read(const struct jfr_chunk *c, const struct jfr_type *type,
                      const struct jfr_record *record, struct jfr_setting *ret_setting);
