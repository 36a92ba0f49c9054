/* SPDX-License-Identifier: MIT
 *
 * html.h - a report as one self-contained HTML file: no network, no server, no other file.
 *
 * DESIGN
 *   The page itself (page.html, page.css, page*.js; embedded at build time by tools/embed.sh) is constant.  The report
 *   is data in it: JSON in <script type="application/json"> elements, which browsers do not run.  There `<`, `>` and
 *   `&` are written as \u003c and so on, so that nothing in the data can end its element.  The page shows data as text
 *   only.  A content security policy in the page allows our style and our script by their hashes, and nothing else: no
 *   other script, no picture, no connection.
 *
 *   Tales are large and most are never opened: each is a separate element, parsed when its failure is opened.
 */
#ifndef RADDLE_REPORT_HTML_H
#define RADDLE_REPORT_HTML_H

#include "report/model.h"

enum {
    HTML_EVENTS = 500000, /* most events of all tales of a page; later tales have only the events that matter */
};

bool report_html(const struct report *report, const char *path, struct error *error);

#endif
