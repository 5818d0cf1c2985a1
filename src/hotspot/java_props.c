/*
 * java_props.c - see java_props.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_props.h"
#include <errno.h>
#include <stdlib.h>
#include "base/err.h"
#include "hotspot/java_sets.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"

struct reading {
    struct oops *o;
    int (*each)(void *context, const char *name, const char *value);
    void *context;
    uint32_t *damage;
    char *name, *value;
};

static int read_one(void *context, uint64_t key, uint64_t value)
{
    struct reading *r = context;
    if (oops_text(r->o, key, r->name, JAVA_PROPS_TEXT) < 0 ||
        oops_text(r->o, value, r->value, JAVA_PROPS_TEXT) < 0) {
        ++*r->damage;
        return 0;
    }
    return r->each(r->context, r->name, r->value);
}

/* Find the class java.lang.System. Up to JDK 11 it is among the few classes that the VM names;
 * later JDKs list all classes. */
static uint64_t find_system(const struct oops *o)
{
    uint64_t klass =
        target_static_value(o->target, "SystemDictionary",
                            "_well_known_klasses[SystemDictionary::System_klass_knum]", 8);
    return klass != 0 ? klass : oops_boot_class(o, "java/lang/System");
}

int java_props_each(struct oops *o, int (*each)(void *context, const char *name, const char *value),
                    void *context, uint32_t *damage)
{
    struct reading r = {o, each, context, damage, malloc(JAVA_PROPS_TEXT), malloc(JAVA_PROPS_TEXT)};
    uint64_t system = find_system(o);
    uint64_t props = system != 0 ? oops_get_static(o, system, "props") : 0;
    int result = !r.name || !r.value ? -ENOMEM
                 : props == 0        ? E_VM_STATE
                                     : java_sets_entries(o, props, read_one, &r, damage);
    free(r.name);
    free(r.value);
    return result;
}
