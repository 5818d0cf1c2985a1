/*
 * instrument.h - puts calls of tracker classes into the methods of a class file.
 *
 * A pure function: bytes in, bytes out. A probe is what one user wants to have called; the probes
 * of all users are put into a class at once, a later one around the earlier ones (codeplan.h).
 *
 * See docs/injection.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/instrument_probe.h"

struct arena;

/** What became of one probe in one method. */
struct instrument_row {
    struct cpool_utf8 name, desc; /* owner: the input bytes */
    int32_t number;               /* that the calls pass; -1 unless injected */
    enum instrument_verdict verdict;
};

/** What became of one probe in a class. */
struct instrument_share {
    struct instrument_row *rows; /* one per method, in the file's order */
    uint32_t injected;           /* methods */
};

struct instrument_result {
    const uint8_t *bytes; /* the new class file; NULL when nothing was injected */
    size_t len;
    struct cpool_utf8 class_name;
    uint16_t major;
    bool has_nan;                    /* a constant of the class is not a number */
    uint32_t row_count;              /* methods */
    struct instrument_share *shares; /* one per probe, in their order */
    size_t error_at;                 /* offset in the input, with an error */
};

/**
 * Inject the probes into the class file `bytes`.
 *
 * The result does what injecting one probe after the other would do, each into the result of the
 * one before: but each is asked about the class as it was, and `caught` is called once. A probe
 * that cannot be in a method leaves it to the others, and its row says why. Equal input gives equal
 * output. Adds no attribute and no member, so the result may replace a loaded class.
 *
 * Shape:   INSTRUMENT_PROBES_MAX probes at most.
 * Errors:  0; those of classfile_read(); E_LIMIT the result would be absurdly large; -ENOMEM. Then
 *          the class is to be left alone; ret->error_at says where the input is wrong.
 * Context: any, not signal.            Owner: the result is of `a`, and borrows `bytes`.
 */
int instrument_class(const struct instrument_probe *const *probes, uint32_t probe_count,
                     const void *bytes, size_t len, struct arena *a, struct instrument_result *ret);

/** Why, as a clause: "abstract or native, so it has no code". */
const char *instrument_verdict_text(enum instrument_verdict v);
