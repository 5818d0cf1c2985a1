/*
 * doctor_fact.h - what is known of one JVM: a number for each row of doctor_fact.def, twice.
 *
 * A number that is not known is NAN. Facts are read from a live JVM (doctor_live.h), from thread
 * dumps (doctor_threads.h), or from the JSON that `hprof doctor --json` printed. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sink;

enum doctor_fact_id {
#define FACT(id, name, from) DOCTOR_##id,
#include "doctor/doctor_fact.def"
#undef FACT
    DOCTOR_FACTS,
};

enum { DOCTOR_FACT_TEXT = 240, DOCTOR_FACT_NAME = 160 };

struct doctor_fact {
    double first, last;          /* of the first look and of the last one */
    char text[DOCTOR_FACT_TEXT]; /* "": there is none */
};

struct doctor_facts {
    char target[DOCTOR_FACT_NAME];  /* the main class, or the name of a file */
    char version[DOCTOR_FACT_NAME]; /* of the JDK; "": not known */
    pid_t pid;                      /* 0: not known */
    double seconds;                 /* between the two looks; 0: there was one */
    struct doctor_fact all[DOCTOR_FACTS];
};

extern const char *const doctor_fact_names[DOCTOR_FACTS];

/** Begins: nothing is known. */
void doctor_fact_init(struct doctor_facts *f);
/** Sets a number of the look that is made now: of both until the second look sets it again. */
void doctor_fact_set(struct doctor_facts *f, enum doctor_fact_id id, double value, bool is_first);
/** Sets the text beside a number. What is not plain (base/plain.h) becomes '?'. */
void doctor_fact_say(struct doctor_facts *f, enum doctor_fact_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** The number of the last look; how much it grew, and how much in a second. NAN: not known. */
double doctor_fact_now(const struct doctor_facts *f, enum doctor_fact_id id);
double doctor_fact_grown(const struct doctor_facts *f, enum doctor_fact_id id);
double doctor_fact_rate(const struct doctor_facts *f, enum doctor_fact_id id);

/** Writes the members "pid" to "facts" of a JSON object. */
void doctor_fact_write(struct sink *out, const struct doctor_facts *f);
/** Reads an object of `hprof doctor --json`, or an array of them: calls `take` for each. Errors: 0;
 * E_FORMAT: it is none; -ENOMEM. */
int doctor_fact_read(const char *text, size_t len, void (*take)(void *, struct doctor_facts *),
                     void *with);
