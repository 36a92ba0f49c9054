/* SPDX-License-Identifier: MIT
 *
 * search.c - see search.h.
 */
#include "generate/search.h"

#include <assert.h>
#include <string.h>

#include "generate/code.h"
#include "util/stop.h"

enum { FIRST_SATURATION = 3, VECTORS = 3, USUAL = 3, ITERATION_EXECUTIONS = 1500 };

void search_open(struct search *search, struct library *library, uint64_t seed)
{
    *search = (struct search){.library = library, .generator = {seed}, .saturation = FIRST_SATURATION};
    vector_reserve(&search->functions, library->api->functions.count + 1);
    search->functions.count = library->api->functions.count;
    memset(search->functions.data, 0, search->functions.count * sizeof *search->functions.data);
}

void search_close(struct search *search)
{
    vector_free(&search->edges);
    vector_free(&search->functions);
    vector_free(&search->sequences);
    vector_free(&search->nodes);
    table_free(&search->covered);
    table_free(&search->states);
}

bool search_is_observer(const struct search *search, uint32_t function)
{
    const struct search_function *seen = &search->functions.data[function];
    const struct api_function *entry = &search->library->api->functions.data[function];
    return seen->runs > 0 && seen->changes == 0 && seen->blocks == 0 && seen->failed == 0 && !entry->no_compare &&
           code_slot_count(search->library->api, entry) > 0;
}

bool search_may_call(const struct search *search, uint32_t function)
{
    const struct api_function *entry = &search->library->api->functions.data[function];
    return entry->role == ROLE_CALL && entry->record == search->library->subject &&
           search->functions.data[function].failed == 0;
}

const char *search_why(uint32_t status)
{
    return status == GEN_EXITED     ? "it ends the process"
           : status == GEN_READS    ? "it reads the standard input"
           : status == GEN_THREADED ? "it creates a thread, and so has no sequential run to compare with"
                                    : NULL;
}

const char *search_failure(uint32_t status)
{
    static const char *const texts[] = {
        [GEN_CRASHED] = "crashes",
        [GEN_EXITED] = "ends the process",
        [GEN_HEAP] = "accesses freed memory, or memory outside of a block",
        [GEN_LOCKED] = "takes a lock that is never released",
        [GEN_MISUSE] = "releases a lock that it does not hold",
        [GEN_ENDLESS] = "does not end",
        [GEN_THREADED] = "creates a thread",
        [GEN_READS] = "reads the standard input",
        [GEN_NO_OBJECT] = "makes no object",
    };
    const char *text = status < sizeof texts / sizeof texts[0] ? texts[status] : NULL;
    return text != NULL ? text : "fails";
}

/* ---- the calls of an iteration ---------------------------------------------------------------------------------------- */

/* First different values for different numbers, so that one in the place of another is seen. */
static uint8_t first_value(const struct api_function *function, size_t index)
{
    const struct api_param *param = &function->params.data[index];
    bool number = param->type.kind == API_INTEGER && param->length_of == API_NONE && function->role == ROLE_CALL;
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += function->params.data[i].type.kind == API_INTEGER;
    size_t usual = param->values.count < USUAL ? param->values.count : USUAL;
    return number && usual > 0 ? (uint8_t)(before % usual) : 0;
}

static struct gen_call pick_call(struct search *search, uint32_t number, unsigned vector)
{
    const struct api_function *function = &search->library->api->functions.data[number];
    struct gen_call call = {.function = (uint16_t)number};
    for (size_t i = 0; i < function->params.count && i < GEN_VALUES; i++) {
        unsigned choices = code_choices(&function->params.data[i]);
        unsigned usual = vector == 1 && choices > USUAL ? USUAL : choices;
        call.values[i] =
            vector > 0 && usual > 1 ? (uint8_t)generator_below(&search->generator, usual) : first_value(function, i);
    }
    return call;
}

static bool is_edge(const struct search *search, const struct gen_call *call)
{
    for (size_t i = 0; i < search->edges.count; i++)
        if (memcmp(&search->edges.data[i], call, sizeof *call) == 0)
            return true;
    return false;
}

static void pick_edges(struct search *search)
{
    vector_clear(&search->edges);
    for (unsigned vector = 0; vector < VECTORS; vector++) {
        for (uint32_t i = 0; i < search->library->api->functions.count; i++) {
            if (!search_may_call(search, i))
                continue;
            struct gen_call call = pick_call(search, i, vector);
            if (!is_edge(search, &call) && search->edges.count < GEN_EXTENSIONS)
                vector_push(&search->edges, call);
        }
    }
}

static struct gen_call pick_constructor(struct search *search)
{
    const struct api *api = search->library->api;
    uint32_t count = 0;
    for (uint32_t i = 0; i < api->functions.count; i++)
        count +=
            api->functions.data[i].role == ROLE_CREATE && api->functions.data[i].record == search->library->subject;
    assert(count > 0);
    uint32_t wanted = search->iteration % count;
    for (uint32_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role == ROLE_CREATE && api->functions.data[i].record == search->library->subject &&
            wanted-- == 0)
            return pick_call(search, i, search->iteration < count ? 0 : 1);
    return (struct gen_call){0};
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

/* What was seen of the extensions of a node. */
struct children {
    uint64_t state; /* of the node */
    struct gen_report reports[GEN_EXTENSIONS];
};

static void learn(struct search *search, const struct gen_call *call, const struct gen_report *report, uint64_t before)
{
    struct search_function *seen = &search->functions.data[call->function];
    search->executed++;
    seen->runs += report->status == GEN_DONE;
    seen->changes += report->status == GEN_DONE && report->state != before;
    seen->blocks += report->status == GEN_BLOCKED;
    if (search_why(report->status) != NULL)
        seen->failed = report->status;
}

static bool run_children(struct search *search, const struct sequence *sequence, struct children *children,
                         struct error *error)
{
    struct gen_request *request = library_request(search->library, 0, error);
    if (request == NULL)
        return false;
    request->question = GEN_EXPAND;
    request->construct = sequence->construct;
    request->prefix_count = sequence->count;
    memcpy(request->prefix, sequence->calls, sequence->count * sizeof sequence->calls[0]);
    request->count[0] = (uint32_t)search->edges.count;
    memcpy(request->calls, search->edges.data, search->edges.count * sizeof search->edges.data[0]);
    const struct gen_answer *answer = library_ask(search->library, 0);
    if (answer == NULL || answer->status != GEN_DONE)
        return false;
    children->state = answer->start.state;
    memcpy(children->reports, answer->reports, search->edges.count * sizeof answer->reports[0]);
    for (size_t i = 0; i < search->edges.count; i++)
        learn(search, &search->edges.data[i], &children->reports[i], children->state);
    return true;
}

/* ---- the tree --------------------------------------------------------------------------------------------------------- */

static bool has_trace(const struct search *search, const struct sequence *sequence, uint64_t trace)
{
    if (table_get(&search->covered, trace) != NULL)
        return true;
    for (unsigned i = 0; i < sequence->count; i++)
        if (sequence->traces[i] == trace)
            return true;
    return false;
}

static void new_traces(const struct search *search, const struct sequence *sequence, struct search_node *node)
{
    node->fresh = 0;
    for (unsigned i = 0; i < sequence->count; i++) {
        bool twice = table_get(&search->covered, sequence->traces[i]) != NULL;
        for (unsigned k = 0; k < node->fresh && !twice; k++)
            twice = node->traces[k] == sequence->traces[i];
        if (!twice)
            node->traces[node->fresh++] = sequence->traces[i];
    }
}

static bool is_subset(const struct search_node *a, const struct search_node *b)
{
    for (unsigned i = 0; i < a->fresh; i++) {
        bool found = false;
        for (unsigned k = 0; k < b->fresh && !found; k++)
            found = a->traces[i] == b->traces[k];
        if (!found)
            return false;
    }
    return true;
}

/* Another sequence reached this state with no less coverage. */
static bool is_redundant(const struct search *search, const struct search_node *node)
{
    const uint64_t *at = table_get(&search->states, node->state);
    for (uint64_t i = at != NULL ? *at : 0; i != 0; i = search->nodes.data[i - 1].before) {
        const struct search_node *other = &search->nodes.data[i - 1];
        if (is_subset(node, other) && (other->fresh > node->fresh || other->length < node->length))
            return true;
    }
    return false;
}

static void remember(struct search *search, struct search_node node)
{
    uint64_t *at = table_put(&search->states, node.state);
    node.before = (uint32_t)*at;
    vector_push(&search->nodes, node);
    *at = search->nodes.count;
}

static struct search_node node_of(const struct search *search, const struct sequence *sequence, uint64_t state)
{
    struct search_node node = {.state = state, .length = sequence->count};
    new_traces(search, sequence, &node);
    return node;
}

static bool is_better(const struct sequence *a, const struct sequence *b)
{
    return a->fresh > b->fresh || (a->fresh == b->fresh && a->count < b->count);
}

static bool may_follow(const struct search *search, const struct sequence *sequence, const struct gen_call *call)
{
    const struct api *api = search->library->api;
    const struct api_function *function = &api->functions.data[call->function];
    bool once = false, after = function->after == NULL;
    for (unsigned i = 0; i < sequence->count; i++) {
        once = once || sequence->calls[i].function == call->function;
        after = after || strcmp(api->functions.data[sequence->calls[i].function].name, function->after) == 0;
    }
    return after && !(function->once && once) && search->functions.data[call->function].failed == 0;
}

static bool is_over(const struct search *search)
{
    return stop_requested() || search->executed - search->executed_before > ITERATION_EXECUTIONS;
}

static void extend(struct search *search, const struct sequence *sequence, unsigned without, struct error *error);

/* One child.  False: the siblings after it need not be visited (B1, B2). */
static bool visit_child(struct search *search, const struct sequence *parent, const struct search_node *own,
                        const struct gen_call *call, const struct gen_report *report, unsigned without,
                        struct error *error)
{
    if (report->status != GEN_DONE || !may_follow(search, parent, call))
        return true; /* D1 */
    struct sequence child = *parent;
    bool improves = !has_trace(search, parent, report->trace);
    child.traces[child.count] = report->trace;
    child.calls[child.count++] = *call;
    child.fresh += improves;
    struct search_node node = node_of(search, &child, report->state);
    if (!search->without_pruning) {
        if (!improves && report->state == own->state)
            return true; /* D2 */
        if (!improves && is_redundant(search, &node))
            return true; /* D3 */
    }
    if (is_better(&child, &search->best))
        search->best = child;
    remember(search, node);
    extend(search, &child, improves ? 0 : without + 1, error);
    if (search->without_pruning)
        return true;
    return !(improves && report->state == own->state) && !is_redundant(search, own);
}

static void extend(struct search *search, const struct sequence *sequence, unsigned without, struct error *error)
{
    if (without >= search->saturation || sequence->count >= SEARCH_LENGTH || is_over(search))
        return;
    struct children *children = memory_allocate(1, sizeof *children);
    if (run_children(search, sequence, children, error)) {
        struct search_node own = node_of(search, sequence, children->state);
        for (size_t i = 0; i < search->edges.count && !is_over(search); i++)
            if (!visit_child(search, sequence, &own, &search->edges.data[i], &children->reports[i], without, error))
                break;
    }
    free(children);
}

/* ---- iterations ----------------------------------------------------------------------------------------------------- */

/* The baseline: calls at random, without regard to what they do.  One that fails alone ends the sequence. */
static void walk_at_random(struct search *search, struct error *error)
{
    unsigned length = 1 + (unsigned)generator_below(&search->generator, 10);
    struct children *children = memory_allocate(1, sizeof *children);
    while (search->best.count < length && run_children(search, &search->best, children, error)) {
        size_t chosen = generator_below(&search->generator, search->edges.count);
        if (children->reports[chosen].status != GEN_DONE ||
            !may_follow(search, &search->best, &search->edges.data[chosen]))
            break;
        search->best.traces[search->best.count] = children->reports[chosen].trace;
        search->best.calls[search->best.count++] = search->edges.data[chosen];
    }
    search->best.fresh = 1;
    free(children);
}

const struct sequence *search_next(struct search *search, struct error *error)
{
    pick_edges(search);
    search->best = (struct sequence){.construct = pick_constructor(search)};
    search->executed_before = search->executed;
    table_clear(&search->states);
    vector_clear(&search->nodes);
    struct sequence root = search->best;
    if (search->edges.count > 0 && search->random)
        walk_at_random(search, error);
    else if (search->edges.count > 0)
        extend(search, &root, 0, error);
    search->iteration++;
    if (search->best.fresh == 0) {
        search->saturation += search->saturation < SEARCH_LENGTH;
        return NULL;
    }
    for (unsigned i = 0; i < search->best.count; i++)
        *table_put(&search->covered, search->best.traces[i]) = 1;
    vector_push(&search->sequences, search->best);
    return &search->sequences.data[search->sequences.count - 1];
}
