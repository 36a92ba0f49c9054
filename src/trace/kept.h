/* SPDX-License-Identifier: MIT
 *
 * kept.h - what a campaign leaves in its directory beside the failures (failure.h): written by explore, read by report.
 */
#ifndef RADDLE_TRACE_KEPT_H
#define RADDLE_TRACE_KEPT_H

#define KEPT_CAMPAIGN "campaign.json"   /* the last campaign */
#define KEPT_HISTORY  "campaigns.jsonl" /* a line for each of the last ones */
#define KEPT_COVERAGE "coverage.json"   /* its patterns, with source lines */

#endif
