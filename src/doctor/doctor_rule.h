/*
 * doctor_rule.h - the rules as rows, and what a finding is.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "doctor/doctor_fact.h"

enum doctor_rule_id {
#define RULE(id, ...) DOCTOR_RULE_##id,
#include "doctor/doctor_rule.def"
#undef RULE
    DOCTOR_RULES,
};

enum doctor_unit { DOCTOR_COUNT, DOCTOR_PERCENT, DOCTOR_SECONDS, DOCTOR_PER_SECOND };
enum doctor_severity { DOCTOR_FINE, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_SEVERE, DOCTOR_SEVERITIES };

struct doctor_rule {
    const char *name;
    enum doctor_unit unit;
    double at[DOCTOR_SEVERITIES]; /* thresholds of the severities; HUGE_VAL: never */
    const char *evidence, *cause, *next;
};

struct doctor_finding {
    enum doctor_rule_id rule;
    enum doctor_severity severity;
    double value;
    char text[2 * DOCTOR_FACT_TEXT]; /* the evidence: numbers and names */
};

struct doctor_findings {
    struct doctor_finding all[DOCTOR_RULES]; /* the most severe first */
    uint32_t count;
    enum doctor_severity worst;
    uint32_t judged; /* rules whose facts were known */
    bool is_unknown[DOCTOR_RULES];
};

extern const struct doctor_rule doctor_rule_all[DOCTOR_RULES];
extern const char *const doctor_rule_severities[DOCTOR_SEVERITIES];
