/* jfrtool_jfr_catalogue.c - the sentences of events and fields against the facts that they are
 * about. SPDX-License-Identifier: Apache-2.0 */
#include "jfrtool/jfr_catalogue.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "jfr/jfr_filter.h"
#include "cmocka_all.h"

/* An event has no field, and a field that of the event before it. */
struct fact {
    const char *event, *field;
};

static const struct fact facts[] = {
#define RELEASE(number)
#define EVENT(releases, name, ...) {name, NULL},
#define FIELD(releases, name, ...) {NULL, name},
#define EXPERIMENTAL_FIELD(releases, name, ...) {NULL, name},
#define SETTING(...)
#include "jfrtool/jfr_facts.def"
#undef RELEASE
#undef EVENT
#undef FIELD
#undef EXPERIMENTAL_FIELD
#undef SETTING
};

static const struct {
    const char *event, *text;
} events[] = {
#define SENTENCE(event, text) {event, text},
#include "jfrtool/jfr_sentences.def"
#undef SENTENCE
};

static const struct jfr_catalogue_sentence rows[] = {
#define FIELD_SENTENCE(event, field, text) {event, field, text},
#include "jfrtool/jfr_field_sentences.def"
#undef FIELD_SENTENCE
};

enum {
    FACTS = sizeof(facts) / sizeof(facts[0]),
    EVENTS = sizeof(events) / sizeof(events[0]),
    ROWS = sizeof(rows) / sizeof(rows[0]),
};

static bool is_row(const struct jfr_catalogue_sentence *a, const struct jfr_catalogue_sentence *b)
{
    return strcmp(a->event, b->event) == 0 && strcmp(a->field, b->field) == 0;
}

static void expect_sentence(const char *text)
{
    size_t len = strlen(text);
    if (len < 2 || text[len - 1] != '.' || text[len - 2] == '.' || islower((unsigned char)*text))
        fail_msg("no sentence: %s", text);
}

static void each_event_has_one_sentence_and_no_other_is_there(void **state)
{
    size_t at = 0;
    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        if (!facts[i].event)
            continue;
        if (at == EVENTS || strcmp(events[at].event, facts[i].event) != 0)
            fail_msg("sentence %zu is of %s, the event of the facts is %s", at,
                     at < EVENTS ? events[at].event : "nothing", facts[i].event);
        expect_sentence(events[at++].text);
    }
    assert_int_equal(at, EVENTS);
}

static void each_field_of_each_event_has_a_sentence(void **state)
{
    const char *event = NULL;
    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        if (facts[i].event)
            event = facts[i].event;
        else if (!jfr_catalogue_field_sentence(event, facts[i].field))
            fail_msg("no sentence for %s of %s", facts[i].field, event);
    }
}

static void each_sentence_is_of_a_field_of_the_facts(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const char *event = NULL;
        bool is_shown = false;
        expect_sentence(rows[r].text);
        for (size_t i = 0; i < FACTS && !is_shown; i++) {
            const struct jfr_catalogue_sentence *found = NULL;
            if (facts[i].event)
                event = facts[i].event;
            else if (strcmp(facts[i].field, rows[r].field) == 0)
                found = jfr_catalogue_field_sentence(event, facts[i].field);
            is_shown = found && is_row(found, &rows[r]);
        }
        if (!is_shown)
            fail_msg("the sentence of %s of %s is shown nowhere", rows[r].field, rows[r].event);
    }
}

static void rows_are_sorted_and_no_two_have_one_key(void **state)
{
    (void)state;
    for (size_t r = 1; r < ROWS; r++) {
        int order = strcmp(rows[r - 1].event, rows[r].event);
        if (order > 0 || (order == 0 && strcmp(rows[r - 1].field, rows[r].field) >= 0))
            fail_msg("%s of %s stands too late or twice", rows[r].field, rows[r].event);
    }
}

/* "*" and "jdk.*" give way to any other pattern; which of two others wins would be an accident. */
static void no_field_has_two_patterns(void **state)
{
    const char *event = NULL;
    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        unsigned count = 0;
        event = facts[i].event ? facts[i].event : event;
        for (size_t r = 0; r < ROWS && facts[i].field; r++)
            count += strcmp(rows[r].field, facts[i].field) == 0 && strchr(rows[r].event, '*') &&
                     strcmp(rows[r].event, "*") != 0 && strcmp(rows[r].event, "jdk.*") != 0 &&
                     jfr_filter_glob(rows[r].event, event);
        if (count > 1 && strchr(jfr_catalogue_field_sentence(event, facts[i].field)->event, '*'))
            fail_msg("%u patterns fit %s of %s", count, facts[i].field, event);
    }
}

static void the_events_own_row_wins_then_the_narrower_pattern(void **state)
{
    static const struct {
        const char *event, *field, *row; /* NULL: there is none */
    } wanted[] = {
        {"jdk.OldObjectSample", "eventThread", "jdk.OldObjectSample"},
        {"jdk.FileRead", "eventThread", "*"},
        {"my.Event", "startTime", "*"},
        {"my.Event", "gcId", NULL},
        {"jdk.GCPhasePause", "name", "jdk.GCPhase*"},
        {"jdk.PromoteObjectInNewPLAB", "gcId", "jdk.Promote*"},
        {"jdk.GarbageCollection", "gcId", "jdk.*"},
        {"jdk.FileRead", "nothing", NULL},
        {"*", "nothing", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct jfr_catalogue_sentence *row =
            jfr_catalogue_field_sentence(wanted[i].event, wanted[i].field);
        assert_int_equal(row != NULL, wanted[i].row != NULL);
        if (row)
            assert_string_equal(row->event, wanted[i].row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_has_one_sentence_and_no_other_is_there),
        cmocka_unit_test(each_field_of_each_event_has_a_sentence),
        cmocka_unit_test(each_sentence_is_of_a_field_of_the_facts),
        cmocka_unit_test(rows_are_sorted_and_no_two_have_one_key),
        cmocka_unit_test(no_field_has_two_patterns),
        cmocka_unit_test(the_events_own_row_wins_then_the_narrower_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
