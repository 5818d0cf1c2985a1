/*
 * doctor_judge.h - judges facts by all rules: the number of each rule of doctor_rule.def, and what
 * it is made of. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "doctor/doctor_rule.h"

void doctor_judge_all(const struct doctor_facts *f, struct doctor_findings *ret);
