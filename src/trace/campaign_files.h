/* SPDX-License-Identifier: MIT
 *
 * campaign_files.h - the files of a campaign in its directory, next to the failures (failure.h): written by campaign/,
 * read by report/.
 */
#ifndef RADDLE_TRACE_CAMPAIGN_FILES_H
#define RADDLE_TRACE_CAMPAIGN_FILES_H

#define CAMPAIGN_FILE_CAMPAIGN "campaign.json"   /* the last campaign */
#define CAMPAIGN_FILE_HISTORY  "campaigns.jsonl" /* a line for each of the last ones */
#define CAMPAIGN_FILE_COVERAGE "coverage.json"   /* its patterns, with source lines */

#endif
