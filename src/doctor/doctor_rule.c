/*
 * doctor_rule.c - see doctor_rule.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_rule.h"
#include <math.h>

#define NEVER HUGE_VAL

const struct doctor_rule doctor_rule_all[DOCTOR_RULES] = {
#define RULE(id, name, unit, note, warning, severe, evidence, cause, next)                         \
    {name, DOCTOR_##unit, {-1, note, warning, severe}, evidence, cause, next},
#include "doctor/doctor_rule.def"
#undef RULE
};

const char *const doctor_rule_severities[DOCTOR_SEVERITIES] = {
    [DOCTOR_FINE] = "fine",
    [DOCTOR_NOTE] = "note",
    [DOCTOR_WARNING] = "warning",
    [DOCTOR_SEVERE] = "severe",
};
