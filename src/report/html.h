/* SPDX-License-Identifier: MIT
 *
 * html.h - a report as one HTML file that needs nothing else: no network, no server, no other file.
 *
 * DESIGN
 *   The page is ours (page.html, page.css, page*.js; embedded at build time by tools/embed.sh) and never changes; the report is
 *   data in it: JSON in <script type="application/json"> elements, which browsers do not run.  There `<`, `>` and `&` are
 *   written as \u003c and so on, so that nothing in the data can end its element, and the page puts data on the screen as text
 *   only.  A content security policy in the page allows our style and our script by their hashes, and nothing else: no other
 *   script, no picture, no connection.
 *
 *   Tales are large and most are never looked at: each is an element of its own, parsed when its failure is opened.
 */
#ifndef RADDLE_REPORT_HTML_H
#define RADDLE_REPORT_HTML_H

#include "report/model.h"

enum {
    HTML_EVENTS = 500000, /* of all tales of a page; those behind them have only the steps that matter */
};

bool report_html(const struct report *report, const char *path, struct error *error);

#endif
