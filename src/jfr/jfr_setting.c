/*
 * jfr_setting.c - see jfr_setting.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_setting.h"

bool jfr_setting_read(const struct jfr_chunk *c, const struct jfr_type *type,
                      const struct jfr_record *record, struct jfr_setting *ret_setting)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_value id;
    if (!jfr_value_named(c, &event, "id", &id) ||
        !jfr_value_named(c, &event, "name", &ret_setting->name) ||
        !jfr_value_named(c, &event, "value", &ret_setting->value))
        return false;
    ret_setting->about = jfr_chunk_type(c, (uint64_t)id.number);
    return true;
}
