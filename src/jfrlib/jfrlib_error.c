/*
 * jfrlib_error.c - see jfrlib_error.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_error.h"
#include <errno.h>
#include "base/err.h"

int jfrlib_error_code(int error, bool is_short)
{
    switch (error) {
    case 0:
        return HPROF_JFR_OK;
    case -ENOMEM:
        return is_short ? HPROF_JFR_LIMIT : HPROF_JFR_MEMORY;
    case E_LIMIT:
        return HPROF_JFR_LIMIT;
    case E_FORMAT:
        return HPROF_JFR_FORMAT;
    case E_UNSUPPORTED:
        return HPROF_JFR_VERSION;
    case E_TRUNCATED:
        return HPROF_JFR_DAMAGED;
    case E_SYNTAX:
        return HPROF_JFR_ARGUMENT;
    default:
        return HPROF_JFR_SYSTEM;
    }
}

int jfrlib_error_set(struct hprof_jfr_error *e, int error, bool is_short, uint64_t offset,
                     const char *detail)
{
    int code = jfrlib_error_code(error, is_short);
    *e = (struct hprof_jfr_error){.code = code,
                                  .system_error = code == HPROF_JFR_SYSTEM ? -error : 0,
                                  .offset = offset,
                                  .detail = detail ? detail : hprof_jfr_strerror(code)};
    return code;
}

const char *hprof_jfr_strerror(int code)
{
    static const char *const texts[] = {
        [0] = "no error",
        [-HPROF_JFR_SYSTEM] = "a call of the system failed",
        [-HPROF_JFR_MEMORY] = "the system has no memory",
        [-HPROF_JFR_LIMIT] = "more memory is needed than the limit allows",
        [-HPROF_JFR_FORMAT] = "this is no JFR recording: it does not begin with FLR",
        [-HPROF_JFR_VERSION] = "its version is not 1 or 2, those of JDK 8u262 and later",
        [-HPROF_JFR_DAMAGED] = "the recording is cut or damaged",
        [-HPROF_JFR_ARGUMENT] = "an argument makes no sense",
        [-HPROF_JFR_NO_FIELD] = "the type has no such field",
        [-HPROF_JFR_NO_VALUE] = "there is no such value",
        [-HPROF_JFR_KIND] = "the value is of another kind",
        [-HPROF_JFR_STALE] = "the value belongs to an earlier event",
    };
    const int count = sizeof(texts) / sizeof(texts[0]);
    if (code > 0)
        return "no error";
    return code > -count ? texts[-code] : "this is no code of libhprofjfr";
}
