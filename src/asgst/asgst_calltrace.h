/*
 * asgst_calltrace.h - the codes of AsyncGetCallTrace, which AsyncGetStackTrace has, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** The code of a walk that could not begin: -(1 + enum walk_cause). Context: signal. */
int asgst_calltrace_code(int error);
