/* SPDX-License-Identifier: MIT
 *
 * campaign_counters.c - the tables of campaign_counters.h as arrays.
 */
#include "trace/campaign_counters.h"

const struct campaign_counter campaign_counters[] = {
#define X(group, member, name, value, required, words)                                                                 \
    {#member, name, offsetof(struct campaign_counts, member), COUNTERS_OF_##group, required, words},
    CAMPAIGN_COUNTERS(X)
#undef X
        {0},
};

const struct campaign_counter history_counters[] = {
#define X(member, value) {#member, #member, offsetof(struct history_counts, member), COUNTERS_OF_ALL, true, NULL},
    HISTORY_COUNTERS(X)
#undef X
        {0},
};
