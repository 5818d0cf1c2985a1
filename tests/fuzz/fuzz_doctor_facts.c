/*
 * fuzz_doctor_facts.c - facts in a file, which anybody may have sent: they are judged and printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "doctor/doctor_fact.h"
#include "doctor/doctor_print.h"
#include "doctor/doctor_judge.h"
#include "doctor/doctor_rule.h"
#include "fuzz.h"

static void take(void *with, struct doctor_facts *f)
{
    static struct doctor_findings found;
    doctor_judge_all(f, &found);
    if (found.count > DOCTOR_RULES || found.judged > DOCTOR_RULES)
        abort();
    doctor_print_text(with, f, &found, true);
    doctor_print_json(with, f, &found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct sink out;
    /* In a block of its own, so that a step beyond it is seen. */
    char *copy = malloc(len > 0 ? len : 1);
    if (!copy || sink_init(&out, -1) < 0)
        abort();
    memcpy(copy, bytes, len);
    doctor_fact_read(copy, len, take, &out);
    if (sink_done(&out) != 0)
        abort();
    free(copy);
    return 0;
}
