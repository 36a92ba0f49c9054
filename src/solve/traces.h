/* SPDX-License-Identifier: MIT
 *
 * traces.h - the executions of a program that differ from each other, as far as they are kept: for questions about all of them.
 *
 * DESIGN
 *   Two executions are of one *path* if their tasks do the same events in the same order, except for the values that memory had; they are of
 *   one *kind* if the values are the same, too.  In which order the tasks came does not matter: what is asked about an execution is
 *   whether there is an order.
 *
 *   One execution of each path is kept, up to TRACES_MOST and TRACES_BYTES, and among the first TRACES_KINDS one of each kind.  What holds
 *   for a path, whatever the values are, holds for those that could not be kept as well.
 */
#ifndef RADDLE_SOLVE_TRACES_H
#define RADDLE_SOLVE_TRACES_H

#include "trace/execution.h"
#include "util/table.h"

enum {
    TRACES_MOST = 1024,
    TRACES_KINDS = 64,
    TRACES_PATHS = 65536, /* that are told apart */
    TRACES_BYTES = 64 << 20
};

struct trace {
    struct execution execution;
    uint32_t path;
    bool first; /* of its path */
};

struct traces { /* all zero: there are none */
    uint32_t
        window; /* of what is asked: tasks with no more operations do the same if they only do not count them alike */
    VECTOR(struct trace *) all;
    VECTOR(bool) paths;      /* by number: not all kinds are kept */
    struct table kinds, own; /* by hash; of paths (own) the value is the number + 1 */
    bool lost; /* there was one that is not whole, or of a path that is not told apart: nothing can be said of all */
    size_t bytes;
};

enum trace_news {
    TRACE_KNOWN,
    TRACE_PATH, /* a path that was not known, the last of `paths`; it may be kept, then it is the last of `all`, or not */
    TRACE_KIND, /* a kind that was not known, of a known path: the last of `all` */
    TRACE_OPEN, /* the same, and it is not kept */
    TRACE_LOST,
};

/* An execution that has ended. */
enum trace_news traces_add(struct traces *traces, const struct execution *execution);
void traces_free(struct traces *traces);

#endif
