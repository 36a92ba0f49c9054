/* SPDX-License-Identifier: MIT
 *
 * result_leak.c - memory that is lost in some schedules and freed in others.
 *
 * What is lost in every schedule is never told: it may be meant, or be found by means that a scan of memory does not know.  Neither is what is kept
 * in some schedules and can still be reached there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "campaign/result.h"
#include "trace/headline.h"
#include "util/memory.h"

static struct result_leak *place_of(struct results *results, uint64_t pc)
{
    for (size_t i = 0; i < results->leaks.count; i++)
        if (results->leaks.data[i].pc == pc)
            return &results->leaks.data[i];
    struct result_leak leak = {.pc = pc};
    vector_push(&results->leaks, leak);
    return &results->leaks.data[results->leaks.count - 1];
}

static void find_place(struct results *results, struct result_leak *leak, struct suppressions *suppressions,
                       struct symbols *symbols, const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    struct wire_finding finding = {.kind = KIND_LEAK, .here.pc = leak->pc};
    leak->key = failure_key(symbols, result, &finding);
    leak->site = memory_copy_string(headline_site(symbols, result, &finding));
    struct suppression *suppression = suppress_finding(suppressions, symbols, copy, &finding);
    leak->suppressed = suppression != NULL;
    if (suppression != NULL)
        results_suppress(results, symbols, copy, &finding, suppression);
}

void results_leaks(struct results *results, struct suppressions *suppressions, struct symbols *symbols,
                   const struct wire_copy *copy, uint64_t schedule)
{
    const struct wire_result *result = &copy->result;
    if (result->end != END_EXIT || !result->leaks_known)
        return;
    for (uint32_t i = 0; i < result->leak_count; i++) {
        const struct wire_leak *seen = &result->leaks[i];
        struct result_leak *leak = place_of(results, seen->pc);
        if (seen->lost > 0 && leak->lost++ == 0)
            leak->schedule = schedule;
        leak->freed += seen->made > 0 && seen->kept == 0;
        if (leak->lost > 0 && leak->freed > 0 && leak->key == NULL)
            find_place(results, leak, suppressions, symbols, copy);
    }
}

void results_warn_of_leaks(struct results *results)
{
    for (size_t i = 0; i < results->leaks.count; i++) {
        const struct result_leak *leak = &results->leaks.data[i];
        if (leak->key == NULL || leak->suppressed || results_find(results, leak->key) != NULL)
            continue;
        struct result_warning warning = {
            .key = memory_copy_string(leak->key),
            .kind = memory_copy_string(result_kind_name(KIND_LEAK)),
            .site = memory_copy_string(leak->site),
            .text = memory_format("memory leak: what is allocated at %s is lost in %" PRIu64
                                  " schedule%s and freed in %" PRIu64,
                                  leak->site, leak->lost, leak->lost == 1 ? "" : "s", leak->freed),
            .schedule = leak->schedule,
            .count = leak->lost,
        };
        vector_push(&results->warnings, warning);
    }
}
