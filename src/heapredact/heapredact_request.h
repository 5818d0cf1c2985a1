/*
 * heapredact_request.h - what is to be zeroed or replaced in a heap dump (heapredact.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/hprof_redact.h"

struct diag;

struct heapredact_request {
    struct hprof_redact_rule rule;
    struct diag *diag; /* is told how far the reading has come; borrowed */
    const char *place; /* name of the input for `diag`; borrowed */
};
