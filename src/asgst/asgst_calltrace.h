/*
 * asgst_calltrace.h - the error codes that AsyncGetCallTrace and AsyncGetStackTrace share.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * The AsyncGetCallTrace code of a walk that could not begin. `error` is -(1 + enum walk_cause).
 * Context: signal.
 */
int asgst_calltrace_code(int error);
