/* SPDX-License-Identifier: MIT
 *
 * campaign_fuzz.c - the readers of campaign.json and of the lines of campaigns.jsonl take anything.
 */
#include <assert.h>
#include <stdint.h>

#include "report/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report_campaign campaign;
    struct report_past past;
    struct error error = {0};
    if (report_parse_campaign(&campaign, "fuzz", (const char *)data, size, &error)) {
        assert(campaign.version != NULL && campaign.command[0] != NULL && campaign.strategy != NULL);
        assert(campaign.failures == campaign.seen.count);
        report_free_campaign(&campaign);
    } else {
        assert(error.code != 0 && error.text[0] != '\0');
    }
    if (report_parse_past(&past, "fuzz", (const char *)data, size, &error)) {
        assert(past.version != NULL && past.strategy != NULL);
        report_free_past(&past);
    }
    return 0;
}
