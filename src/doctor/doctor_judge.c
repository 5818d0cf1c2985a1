/*
 * doctor_judge.c - see doctor_judge.h.
 *
 * One function for a rule returns its number, NAN if the facts are not known, and writes the
 * evidence. A number of which a part is not known is NAN, and so is every comparison with it false:
 * a rule whose facts are missing finds nothing, and is counted as not judged.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_judge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT = 2 * DOCTOR_FACT_TEXT,
    STARTED_S = 120, /* until then a program starts: it loads classes and compiles */
    GROWING_S = 60,  /* until then it starts threads */
    APART_S = 2,     /* two looks at threads that shall not move are so far apart */
    CLASSES_APART_S = 10,
    SWAP_MIN = 64 << 20,
};

#define NOW(id) doctor_fact_now(f, DOCTOR_##id)
#define GROWN(id) doctor_fact_grown(f, DOCTOR_##id)
#define RATE(id) doctor_fact_rate(f, DOCTOR_##id)
#define WORDS(id) f->all[DOCTOR_##id].text
#define JUDGE(id) static double judge_##id(const struct doctor_facts *f, char text[TEXT])

enum { MB = 1 << 20 };

/* `part` of `whole` in percent; the text has both, in megabytes or as numbers. */
static double share(double part, double whole, const char *what, bool is_bytes, char text[TEXT])
{
    if (!(whole > 0) || !(part >= 0))
        return NAN;
    if (is_bytes)
        snprintf(text, TEXT, "%s: %.0f MB of %.0f MB", what, part / MB, whole / MB);
    else
        snprintf(text, TEXT, "%s: %.0f of %.0f", what, part, whole);
    return 100 * part / whole;
}

static double cpu_share(double part_s, double whole_s, const char *what, char text[TEXT])
{
    if (!(whole_s > 0) || !(part_s >= 0))
        return NAN;
    snprintf(text, TEXT, "%s: %.2f s of %.2f s", what, part_s, whole_s);
    return 100 * part_s / whole_s;
}

/* The text of the fact. */
static double said(double value, const char *words, char text[TEXT])
{
    snprintf(text, TEXT, "%s", words);
    return value;
}

JUDGE(DEADLOCK)
{
    return said(NOW(DEADLOCKS), WORDS(DEADLOCKS), text);
}

JUDGE(STOPPED)
{
    return said(NOW(STOPPED), WORDS(STOPPED), text);
}

JUDGE(SAFEPOINT)
{
    snprintf(text, TEXT, "the stop lasts %.1f s", NOW(SAFEPOINT_NOW));
    return NOW(SAFEPOINT_NOW);
}

/* What is in use between two collections is mostly garbage, so it counts only while the VM collects
 * the whole heap again and again. */
JUDGE(HEAP_FULL)
{
    double major = GROWN(GC_MAJOR), old = NOW(HEAP_OLD), used = NOW(HEAP_USED);
    if (major >= 2 && f->all[DOCTOR_HEAP_USED].first < used)
        used = f->all[DOCTOR_HEAP_USED].first;
    double live = major >= 2 && used >= 0 ? used : old;
    if (isnan(major))
        return NAN;
    double percent = share(live, NOW(HEAP_MAX), "used after collections", true, text);
    size_t len = strlen(text);
    snprintf(text + len, TEXT - len, ", %.0f collections of the whole heap in %.1f s", major,
             f->seconds);
    return major >= 1 ? percent : 0;
}

JUDGE(GC_CPU)
{
    double busy = RATE(CPU_TIME);
    double percent = cpu_share(GROWN(GC_CPU), GROWN(CPU_TIME), "CPU of collectors", text);
    return busy < 0.25 ? 0 : percent; /* of a process that does nothing the share says nothing */
}

JUDGE(GC_PAUSE)
{
    return cpu_share(GROWN(GC_PAUSE), f->seconds, "pauses", text);
}

JUDGE(GROUP_MEMORY)
{
    return share(NOW(GROUP_LIMIT) - NOW(GROUP_LEFT), NOW(GROUP_LIMIT), "in use", true, text);
}

JUDGE(GROUP_KILLS)
{
    snprintf(text, TEXT, "%.0f processes since the group was made", NOW(GROUP_KILLS));
    return NOW(GROUP_KILLS);
}

JUDGE(HEAP_GROUP)
{
    return share(NOW(HEAP_MAX), NOW(GROUP_LIMIT), "heap", true, text);
}

JUDGE(CONTAINER_OFF)
{
    if (isnan(NOW(GROUP_LIMIT)))
        return isnan(NOW(CONTAINER_OFF)) ? NAN : 0;
    snprintf(text, TEXT, "-XX:-UseContainerSupport, limit %.0f MB", NOW(GROUP_LIMIT) / MB);
    return NOW(CONTAINER_OFF);
}

JUDGE(THROTTLED)
{
    return share(GROWN(THROTTLED), GROWN(PERIODS), "periods stopped", false, text);
}

JUDGE(SWAP)
{
    double swap = NOW(SWAP);
    double percent = share(swap, swap + NOW(RSS), "on disk", true, text);
    size_t len = strlen(text);
    snprintf(text + len, TEXT - len, ", %.0f pages read a second", RATE(MAJOR_FAULTS));
    return swap < SWAP_MIN ? 0 : percent;
}

JUDGE(FILES)
{
    return share(NOW(FILES), NOW(FILES_LIMIT), "open", false, text);
}

JUDGE(TASKS)
{
    return share(NOW(TASKS_ROOM), NOW(TASKS_LIMIT), "in use", false, text);
}

JUDGE(DIRECT)
{
    return share(NOW(DIRECT), NOW(DIRECT_LIMIT), "in use", true, text);
}

JUDGE(METASPACE)
{
    char other[TEXT];
    double all = share(NOW(METASPACE), NOW(METASPACE_LIMIT), "metaspace", true, text);
    double space = share(NOW(CLASS_SPACE), NOW(CLASS_SPACE_LIMIT), "class space", true, other);
    if (isnan(all) || space > all) {
        memcpy(text, other, TEXT);
        return space;
    }
    return all;
}

JUDGE(CODE_CACHE)
{
    return share(NOW(CODE), NOW(CODE_LIMIT), "committed", true, text);
}

JUDGE(COMPILER_OFF)
{
    snprintf(text, TEXT, "UseCompiler is false");
    return NOW(INTERPRETED) == 1 ? 0 : NOW(COMPILER_OFF);
}

JUDGE(LOCK_WAITING)
{
    return said(NOW(LOCK_WAITING), WORDS(LOCK_WAITING), text);
}

JUDGE(LOCK_HELD)
{
    double value = said(NOW(LOCK_HELD), WORDS(LOCK_HELD), text);
    return f->seconds > 0 && f->seconds < APART_S ? NAN : value;
}

JUDGE(POOL)
{
    double value = said(NOW(POOL_STARVED), WORDS(POOL_STARVED), text);
    return f->seconds > 0 && f->seconds < APART_S ? NAN : value;
}

JUDGE(FINALIZER)
{
    double value = said(NOW(FINALIZER_STUCK), WORDS(FINALIZER_STUCK), text);
    return f->seconds > 0 && f->seconds < APART_S ? NAN : value;
}

JUDGE(FINALIZER_QUEUE)
{
    snprintf(text, TEXT, "%.0f objects, %+.0f in %.1f s", NOW(REFERENCE_QUEUE),
             GROWN(REFERENCE_QUEUE), f->seconds);
    return GROWN(REFERENCE_QUEUE) < 0 ? 0 : NOW(REFERENCE_QUEUE);
}

JUDGE(JIT_CPU)
{
    double percent = cpu_share(GROWN(JIT_CPU), GROWN(CPU_TIME), "CPU of compilers", text);
    return NOW(UPTIME) < STARTED_S || RATE(CPU_TIME) < 0.25 ? 0 : percent;
}

JUDGE(DEOPT)
{
    snprintf(text, TEXT, "%.0f methods in %.1f s", GROWN(INVALIDATED), f->seconds);
    return NOW(UPTIME) < STARTED_S ? 0 : RATE(INVALIDATED);
}

JUDGE(CLASSES)
{
    snprintf(text, TEXT, "%.0f more classes in %.1f s, %.0f in all", GROWN(CLASSES), f->seconds,
             NOW(CLASSES));
    if (f->seconds < CLASSES_APART_S)
        return NAN;
    return NOW(UPTIME) < STARTED_S ? 0 : RATE(CLASSES);
}

JUDGE(THREADS_GROW)
{
    double grown = GROWN(THREADS);
    snprintf(text, TEXT, "%.0f more in %.1f s, %.0f in all", grown, f->seconds, NOW(THREADS));
    return NOW(UPTIME) < GROWING_S || grown < NOW(THREADS) / 10 ? 0 : grown;
}

JUDGE(THREADS_SHORT)
{
    double grown = GROWN(THREADS), started = GROWN(THREADS_STARTED);
    snprintf(text, TEXT, "%.0f threads started in %.1f s", started, f->seconds);
    if (isnan(started) || !(f->seconds > 0))
        return NAN;
    return NOW(UPTIME) < GROWING_S ? 0 : (started - (grown > 0 ? grown : 0)) / f->seconds;
}

/* Whether collections went on, and the last one had this cause. */
static double caused(const struct doctor_facts *f, const char *cause, double collections)
{
    if (isnan(NOW(GC_CAUSE)))
        return NAN;
    return collections > 0 && strcmp(WORDS(GC_CAUSE), cause) == 0;
}

JUDGE(HUMONGOUS)
{
    snprintf(text, TEXT, "%.0f collections in %.1f s, the last one for a large object",
             GROWN(GC_CAUSE), f->seconds);
    return caused(f, "G1 Humongous Allocation", GROWN(GC_CAUSE));
}

JUDGE(SYSTEM_GC)
{
    snprintf(text, TEXT, "%.0f collections of the whole heap in %.1f s", GROWN(GC_MAJOR),
             f->seconds);
    return caused(f, "System.gc()", GROWN(GC_MAJOR));
}

JUDGE(DEBUG)
{
    return said(NOW(DEBUG_FLAGS), WORDS(DEBUG_FLAGS), text);
}

JUDGE(INTERPRETED)
{
    return said(NOW(INTERPRETED), "interpreted mode", text);
}

JUDGE(OLD_JVM)
{
    return said(NOW(OLD_JVM), WORDS(OLD_JVM), text);
}

JUDGE(ARCHIVE)
{
    return said(NOW(ARCHIVE_UNUSED), WORDS(ARCHIVE_UNUSED), text);
}

JUDGE(HUGE_PAGES)
{
    return said(NOW(HUGE_PAGES_OFF), WORDS(HUGE_PAGES_OFF), text);
}

JUDGE(ARCHIVE_OFF)
{
    return said(NOW(ARCHIVE_UNUSED) == 1 ? 0 : NOW(ARCHIVE_OFF), "UseSharedSpaces is false", text);
}

JUDGE(AGENTS)
{
    return said(NOW(AGENTS), WORDS(AGENTS), text);
}

/* In the order of the rules. */
static double (*const judges[])(const struct doctor_facts *f, char text[TEXT]) = {
#define RULE(id, ...) judge_##id,
#include "doctor/doctor_rule.def"
#undef RULE
};

static int by_severity(const void *a, const void *b)
{
    const struct doctor_finding *x = a, *y = b;
    return x->severity != y->severity ? (int)y->severity - (int)x->severity
                                      : (int)x->rule - (int)y->rule;
}

void doctor_judge_all(const struct doctor_facts *f, struct doctor_findings *ret)
{
    *ret = (struct doctor_findings){.count = 0};
    for (int i = 0; i < DOCTOR_RULES; i++) {
        struct doctor_finding *finding = &ret->all[ret->count];
        const struct doctor_rule *rule = &doctor_rule_all[i];
        finding->text[0] = '\0';
        double value = judges[i](f, finding->text);
        ret->is_unknown[i] = isnan(value);
        ret->judged += !isnan(value);
        finding->rule = (enum doctor_rule_id)i;
        finding->value = value;
        finding->severity = DOCTOR_FINE;
        for (int s = DOCTOR_NOTE; s < DOCTOR_SEVERITIES; s++)
            if (value >= rule->at[s])
                finding->severity = (enum doctor_severity)s;
        if (finding->severity == DOCTOR_FINE)
            continue;
        if (finding->severity > ret->worst)
            ret->worst = finding->severity;
        ret->count++;
        if (ret->count == DOCTOR_RULES)
            break;
    }
    qsort(ret->all, ret->count, sizeof(ret->all[0]), by_severity);
}
