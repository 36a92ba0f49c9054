/* SPDX-License-Identifier: MIT
 *
 * family.c - the table of families; see family.h.
 */
#include "pattern/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDIOM FAMILY_WINDOW
#define MAP   (FAMILY_WINDOW | FAMILY_ESTIMATED)
#define ASSET (FAMILY_WINDOW | FAMILY_UNIT | FAMILY_SET)

const struct family families[] = {
    /* Maple, figure 2.  Between the two steps of a on one variable, a does not touch it. */
    {"idiom.1", "a:*(x) << b:*(x)", 0, "one dependency"},
    {"idiom.2", "a:*(x) << b:*(x) << a:*(x)", IDIOM | FAMILY_UNINTERRUPTED, "an access between two of another thread"},
    {"idiom.3", "a:*(x) << b:*(x) < b:*(x) << a:*(x)", IDIOM | FAMILY_UNINTERRUPTED, "two accesses between two"},
    {"idiom.4", "a:*(x) << b:*(x) < b:*(y) << a:*(y)", IDIOM,
     "two variables, one thread between two steps of the other"},
    {"idiom.5", "a:*(x) | b:*(y) << b:*(x) | a:*(y)", IDIOM, "two variables, crosswise: the shape of a deadlock"},
    {"idiom.6", "a:*(x) << b:*(x) | a:*(y) << b:*(y)", IDIOM, "two variables, both from one thread to the other"},

    /* MAP-coverage, table 1; Park et al. */
    {"map.1", "a:R(x) << b:W(x)", MAP, "a value read is overwritten"},
    {"map.2", "a:W(x) << b:R(x)", MAP, "a value written is read"},
    {"map.3", "a:W(x) << b:W(x)", MAP, "a value written is overwritten"},
    {"map.4", "a:R(x) << b:W(x) << a:R(x)", MAP | FAMILY_UNINTERRUPTED, "two reads see different values"},
    {"map.5", "a:W(x) << b:W(x) << a:R(x)", MAP | FAMILY_UNINTERRUPTED, "a thread does not see what it wrote"},
    {"map.6", "a:W(x) << b:R(x) << a:W(x)", MAP | FAMILY_UNINTERRUPTED, "an intermediate value is seen"},
    {"map.7", "a:R(x) << b:W(x) << a:W(x)", MAP | FAMILY_UNINTERRUPTED, "lost update"},
    {"map.8", "a:W(x) << b:W(x) << a:W(x)", MAP | FAMILY_UNINTERRUPTED, "a write between two is lost"},
    {"map.9", "a:W(x) << b:W(x) < b:W(y) << a:W(y)", MAP, "two writers leave a mixture"},
    {"map.10", "a:W(x) < b:W(y) << b:W(x) << a:W(y)", MAP, "two writers leave a mixture"},
    {"map.11", "a:W(x) < b:W(y) << a:W(y) << b:W(x)", MAP, "two writers leave a mixture"},
    {"map.12", "a:W(x) << b:R(x) < b:R(y) << a:W(y)", MAP, "a half-made change is seen"},
    {"map.13", "a:W(x) < b:R(y) << b:R(x) << a:W(y)", MAP, "a half-made change is seen"},
    {"map.14", "a:R(x) << b:W(x) < b:W(y) << a:R(y)", MAP, "a reader sees old and new"},
    {"map.15", "a:R(x) < b:W(y) << b:W(x) << a:R(y)", MAP, "a reader sees old and new"},
    {"map.16", "a:R(x) < b:W(y) << a:R(y) << b:W(x)", MAP, "a reader sees old and new"},
    {"map.17", "a:W(x) < b:R(y) << a:W(y) << b:R(x)", MAP, "a reader sees new and old"},

    /* Vaziri et al.: an execution is atomic-set serializable iff it has none of these.  a and b are units of work. */
    {"asset.1", "a:R(x) < b:W(x) < a:W(x)", ASSET, "a value read is stale when it is written back"},
    {"asset.2", "a:R(x) < b:W(x) < a:R(x)", ASSET, "two reads see different values"},
    {"asset.3", "a:W(x) < b:R(x) < a:W(x)", ASSET, "an intermediate value is seen"},
    {"asset.4", "a:W(x) < b:W(x) < a:R(x)", ASSET, "a unit does not see what it wrote"},
    {"asset.5", "a:W(x) < b:W(x) < a:W(x)", ASSET, "a write between two is lost"},
    {"asset.6", "a:W(x) < b:W(x) < b:W(y) < a:W(y)", ASSET, "memory is left inconsistent"},
    {"asset.6", "a:W(x) < b:W(y) < b:W(x) < a:W(y)", ASSET, "memory is left inconsistent"},
    {"asset.7", "a:W(x) < b:W(y) < a:W(y) < b:W(x)", ASSET, "memory is left inconsistent"},
    {"asset.8", "a:W(x) < b:R(x) < b:R(y) < a:W(y)", ASSET, "an inconsistent state is seen"},
    {"asset.8", "a:W(x) < b:R(y) < b:R(x) < a:W(y)", ASSET, "an inconsistent state is seen"},
    {"asset.9", "a:R(x) < b:W(x) < b:W(y) < a:R(y)", ASSET, "an inconsistent state is seen"},
    {"asset.9", "a:R(x) < b:W(y) < b:W(x) < a:R(y)", ASSET, "an inconsistent state is seen"},
    {"asset.10", "a:R(x) < b:W(y) < a:R(y) < b:W(x)", ASSET, "an inconsistent state is seen"},
    {"asset.11", "a:W(x) < b:R(y) < a:W(y) < b:R(x)", ASSET, "an inconsistent state is seen"},

    {"race", "a:*(x) << b:*(x)", FAMILY_BRINK | FAMILY_PLAIN, "two conflicting accesses, both possible at once"},
    {"atom", "a:unlock(x) << b:lock(x) < b:unlock(x) << a:lock(x)", FAMILY_WINDOW | FAMILY_UNIT,
     "a lock is taken by another between two critical sections"},
};
const unsigned family_count = sizeof families / sizeof *families;

_Static_assert(sizeof families / sizeof *families <= 64, "family_mask has 64 bits");

const struct pattern *family_shape(unsigned row)
{
    static struct pattern shapes[sizeof families / sizeof *families];
    struct pattern *shape = &shapes[row];
    if (shape->count == 0) {
        struct error error;
        if (!pattern_parse(families[row].shape, NULL, shape, &error)) {
            fprintf(stderr, "raddle: the table of families is wrong: %s: %s\n", families[row].name, error.text);
            abort();
        }
        shape->family = &families[row];
    }
    return shape;
}

/* "idiom" is the name of all its members. */
static bool names_row(const char *name, size_t length, unsigned row)
{
    const char *full = families[row].name;
    return strncmp(full, name, length) == 0 && (full[length] == '\0' || full[length] == '.');
}

family_mask family_by_name(const char *names, struct error *error)
{
    family_mask mask = 0;
    for (const char *name = names;; name++) {
        size_t length = strcspn(name, ",");
        family_mask found = 0;
        for (unsigned row = 0; length > 0 && row < family_count; row++)
            if (names_row(name, length, row))
                found |= (family_mask)1 << row;
        if (found == 0) {
            error_set(error, EXIT_USAGE,
                      "\"%.*s\" is no family of patterns: idiom.1-6, map.1-17, asset.1-11, race, atom", (int)length,
                      name);
            return 0;
        }
        mask |= found;
        name += length;
        if (*name == '\0')
            return mask;
    }
}

bool family_needs_units(family_mask rows)
{
    bool needs = false;
    for (unsigned row = 0; row < family_count; row++)
        needs |= (rows >> row & 1) && (families[row].flags & FAMILY_SET);
    return needs;
}

const struct family *family_of_pattern(const char *name, size_t length, const struct pattern *pattern, bool *known)
{
    *known = false;
    for (unsigned row = 0; row < family_count; row++) {
        if (strlen(families[row].name) != length || memcmp(families[row].name, name, length) != 0)
            continue;
        *known = true;
        if (pattern_has_shape(pattern, family_shape(row)))
            return &families[row];
    }
    return NULL;
}
