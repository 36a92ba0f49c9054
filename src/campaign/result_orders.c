/* SPDX-License-Identifier: MIT
 *
 * result_orders.c - what each order of the two accesses of a data race led to.
 *
 * Coverage has an instance of the family race for each order that happened while the other access was possible too, and knows in how many
 * observed runs that was, and how many of these passed.  Accesses of several kinds at one place are taken together.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "campaign/result.h"
#include "util/text.h"

struct order_count {
    uint64_t runs, failed;
};

static family_mask measured_races(const struct coverage *coverage)
{
    struct error ignored; /* the family is in the table */
    return coverage != NULL ? coverage_families(coverage) & family_by_name("race", &ignored) : 0;
}

void results_place_race(const struct results *results, struct result_warning *warning,
                        const struct server_symbols *loaded, const struct wire_finding *finding)
{
    if ((finding->kind != KIND_RACE && finding->kind != KIND_VOLATILE_RACE) || measured_races(results->coverage) == 0)
        return;
    const struct wire_access *accesses[2] = {&finding->other, &finding->here};
    for (unsigned k = 0; k < 2; k++) {
        warning->sites[k] = coverage_site_at(results->coverage, loaded, accesses[k]->pc);
        warning->reads[k] = accesses[k]->op == OP_READ || accesses[k]->op == OP_ATOMIC_LOAD;
    }
}

static struct order_count count_order(const struct coverage *coverage, uint32_t first, uint32_t second)
{
    struct order_count count = {0};
    family_mask rows = measured_races(coverage);
    for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
        const struct instance *instance = coverage_instance(coverage, i);
        if ((rows >> instance->row & 1) && instance->site[0] == first && instance->site[1] == second) {
            count.runs += coverage_seen(coverage, i);
            count.failed += coverage_seen(coverage, i) - coverage_passed(coverage, i);
        }
    }
    return count;
}

/* The order in which access k is the first of the two. */
static void print_order(const struct results *results, const struct result_warning *warning, unsigned k,
                        struct buffer *out)
{
    struct order_count count = count_order(results->coverage, warning->sites[k], warning->sites[1 - k]);
    buffer_printf(out, "%s at ", warning->reads[k] ? "read" : "write");
    sites_print(coverage_sites(results->coverage), warning->sites[k], SITE_SHORT, out);
    if (count.runs == 0)
        buffer_printf(out, " first: not seen");
    else if (count.failed == 0)
        buffer_printf(out, " first: %" PRIu64 " schedule%s, none failed", count.runs, text_plural(count.runs));
    else
        buffer_printf(out, " first: %" PRIu64 " schedule%s, %" PRIu64 " failed", count.runs, text_plural(count.runs),
                      count.failed);
}

static void tell_orders(const struct results *results, struct result_warning *warning)
{
    struct buffer text = {0};
    bool same = warning->sites[0] == warning->sites[1]; /* the two orders are one */
    if (count_order(results->coverage, warning->sites[0], warning->sites[1]).runs +
            count_order(results->coverage, warning->sites[1], warning->sites[0]).runs ==
        0)
        return;
    for (unsigned k = 0; k < (same ? 1u : 2u); k++) {
        buffer_printf(&text, "%s", k > 0 ? "\n" : "");
        print_order(results, warning, k, &text);
    }
    warning->orders = memory_copy_string(buffer_text(&text));
    buffer_free(&text);
}

void results_tell_orders(struct results *results)
{
    for (size_t i = 0; i < results->warnings.count; i++)
        if (results->warnings.data[i].sites[0] != SITE_ANY && results->warnings.data[i].sites[1] != SITE_ANY)
            tell_orders(results, &results->warnings.data[i]);
}
