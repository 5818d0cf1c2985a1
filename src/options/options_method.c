/* options_method.c - see options_method.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_method.h"
#include <string.h>
#include "kind/kind.h"
#include "options/options_call.h"

static struct options_method
    defaults; /* zero; not const, so that it takes no room in the library */

/* Adds one value; the option may be given several times. */
static const char *set(void *into, const char *value)
{
    struct options_method *m = into;
    struct options_method_one *one = &m->one[m->count];
    char text[OPTIONS_METHOD_TEXT];
    if (m->count == OPTIONS_METHOD_MAX)
        return "method= may be given eight times";
    if (strlen(value) >= sizeof(text))
        return "what method= is given is too long";
    snprintf(text, sizeof(text), "%s", value);
    if (!options_call_check(text, true))
        return "method option value must be CLASS::METHOD or CLASS::METHOD:>TIME, as in "
               "com.acme.Dao::*:>20ms";
    const struct options_call call = options_call_split(text);
    snprintf(one->text, sizeof(one->text), "%s", value);
    snprintf(one->klass, sizeof(one->klass), "%s", call.klass);
    snprintf(one->method, sizeof(one->method), "%s", call.method);
    one->has_events = call.has_least;
    one->least_ns = call.least_ns;
    m->count++;
    return NULL;
}

static const struct options_row rows[] = {
    {"method", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "<class>::<m>", .about = "calls of methods, each above a time [:>5ms]",
     .shown = "off", .missing = "syntax error parsing method"},
    {0},
};

static const struct options_ask asks[] = {{"method", "", .value = 1, .is_hidden = true}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_method = {
    .name = "method",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "method=",
    .asked_with = "method",
    .marks = marks,
    .kinds = 1 << KIND_METHOD,
};
