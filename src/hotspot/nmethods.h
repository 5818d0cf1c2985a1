/*
 * nmethods.h - what a VM says about one compiled method: its number, level, state and size.
 *
 * The walker needs only the debug data of compiled code (safe/hs_code.h); this file reads what
 * describes the code itself. Which fields there are differs between JDKs; a number that this VM
 * does not tell is 0. Source: HotSpot nmethod.hpp, codeBlob.hpp, vmStructs.cpp. Context of
 * everything here: any, not signal. Nothing here allocates. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/hs_code.h"

struct target;

/** Where this VM keeps the facts; found once. Offsets of fields; HS_NONE: there is no such field.
 */
struct nmethods {
    const struct target *target;
    int32_t state;
    /* JDK 8 to 21: all parts lie in the blob, one after the other */
    int32_t consts, oops, dependencies, handlers, end;
    /* later: what the compiler knows about the code lies in memory of its own */
    int32_t content, data, null_checks, immutable_bytes, references;
};

/** HotSpot's states of a compiled method, from the first that calls may enter. A lower number: the
 * VM is making it. Up to JDK 19 there are higher numbers: it is about to be freed. */
enum { NMETHODS_IN_USE = 0, NMETHODS_NOT_ENTRANT = 1 };

struct nmethods_row {
    uint64_t method; /* Method* */
    uint64_t bytes;  /* as nmethod::total_size(); 0: unknown */
    uint32_t id;     /* of the compilation; numbers may come twice: loops and methods, see is_osr */
    int32_t state;   /* NMETHODS_NOT_ENTRANT ...; -1: unknown, or being made */
    uint8_t level;   /* 1 to 3: C1; 4: C2, or the compiler in its place */
    bool is_osr;     /* made for a loop that runs (on-stack replacement) */
};

void nmethods_init(struct nmethods *n, const struct target *t);

/** Read the compiled method in `blob`, whose kind is HS_BLOB_NMETHOD. Returns whether it could be
 * read. */
bool nmethods_read(const struct nmethods *n, const struct hs_blob *blob,
                   struct nmethods_row *ret_row);
