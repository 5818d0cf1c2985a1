/*
 * instrument.h - inserts calls of tracker classes into the methods of a class file.
 *
 * It is a pure function: bytes in, bytes out. A probe is the set of calls that one user wants. The
 * probes of all users are inserted into a class at once; a later probe encloses the earlier ones
 * (codeplan.h). See docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/instrument_probe.h"

struct arena;

/** The result of one probe in one method. */
struct instrument_row {
    struct cpool_utf8 name, desc; /* owner: the input bytes */
    int32_t number;               /* the number that the calls pass; -1: not injected */
    enum instrument_verdict verdict;
};

/** The result of one probe in a class. */
struct instrument_share {
    struct instrument_row *rows; /* one for each method, in the order of the file */
    uint32_t injected;           /* number of methods with this probe */
};

struct instrument_result {
    const uint8_t *bytes; /* the new class file; NULL: nothing was injected */
    size_t len;
    struct cpool_utf8 class_name;
    uint16_t major;
    bool has_nan;                    /* a constant of the class is a NaN */
    uint32_t row_count;              /* number of methods */
    struct instrument_share *shares; /* one for each probe, in the order of `probes` */
    size_t error_at;                 /* after an error: offset in the input */
};

/**
 * Inject the probes into the class file `bytes`.
 *
 * The result behaves as if the probes had been injected one after another, each into the result of
 * the one before. There are two differences: each probe's selector sees the original class, and
 * `caught` is called once. If a probe cannot be inserted into a method, the other probes still are,
 * and its row says why. Equal input gives equal output. No attribute and no member is added, so the
 * result may replace a loaded class.
 *
 * Shape:   at most INSTRUMENT_PROBES_MAX probes.
 * Errors:  0; those of classfile_read(); E_LIMIT: the result would be absurdly large; -ENOMEM.
 *          After an error the class must be left alone; ret->error_at says where the input is
 *          wrong.
 * Context: any, not signal.            Owner: the result belongs to `a` and borrows `bytes`.
 */
int instrument_class(const struct instrument_probe *const *probes, uint32_t probe_count,
                     const void *bytes, size_t len, struct arena *a, struct instrument_result *ret);

/** The reason as a clause: "abstract or native, so it has no code". */
const char *instrument_verdict_text(enum instrument_verdict v);
