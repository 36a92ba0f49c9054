/* SPDX-License-Identifier: MIT
 *
 * campaign_memo.c - see campaign_memo.h.
 */
#include "campaign/campaign_memo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/core_words.h"
#include "memo/memo.h"
#include "util/buffer.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/stop.h"

/* What the memo has of an instance, from before this campaign. */
enum { KNOWN_COVERED = 1, KNOWN_IMPOSSIBLE = 2 };
#define KNOWN_FAILED_SHIFT 2

/* What has been stored of an instance in this campaign. */
struct stored {
    uint64_t runs;
    uint32_t attempts, failed, exposed;
    bool predicted, impossible;
};

struct campaign_memo {
    struct memo *memo;
    struct table known; /* hash of family and text → KNOWN_COVERED, and how many attempts failed */
    struct table sites; /* hashes of those that are known */
    size_t looked_up;   /* instances below this number */
    VECTOR(struct stored) stored;
    size_t stored_cores; /* of those that were found */
    struct buffer text;  /* of one instance */
};

static uint64_t key_of(const char *family, const char *text)
{
    return hash_combine(hash_string(family), hash_string(text));
}

static bool learn(const struct memo_instance *instance, void *context)
{
    struct campaign_memo *memo = context;
    uint64_t covered = instance->covered + instance->exposed > 0 ? KNOWN_COVERED : 0;
    uint64_t impossible = instance->impossible ? KNOWN_IMPOSSIBLE : 0;
    *table_put(&memo->known, key_of(instance->family, instance->text)) =
        covered | impossible | instance->failed << KNOWN_FAILED_SHIFT;
    return true;
}

static bool learn_site(const struct memo_site *site, void *context)
{
    struct campaign_memo *memo = context;
    *table_put(&memo->sites, hash_string(site->text)) = 1;
    return true;
}

static bool learn_core(const struct memo_core *core, void *context)
{
    cores_remember(context, strtoull(core->key, NULL, 16));
    return true;
}

struct campaign_memo *campaign_memo_open(const char *path, const char *program, const char *program_file,
                                         struct cores *cores, struct error *error)
{
    struct campaign_memo *memo = memory_allocate(1, sizeof *memo);
    char *build = memo_build_name(program_file);
    memo->memo = memo_open(path, file_base_name(program), build != NULL ? build : "unknown", error);
    free(build);
    if (memo->memo == NULL || !memo_each_instance(memo->memo, learn, memo, error) ||
        !memo_each_site(memo->memo, learn_site, memo, error) || !memo_each_core(memo->memo, learn_core, cores, error)) {
        campaign_memo_close(memo);
        return NULL;
    }
    return memo;
}

void campaign_memo_close(struct campaign_memo *memo)
{
    if (memo == NULL)
        return;
    memo_close(memo->memo);
    table_free(&memo->known);
    table_free(&memo->sites);
    vector_free(&memo->stored);
    buffer_free(&memo->text);
    free(memo);
}

static const char *text_of(struct campaign_memo *memo, const struct coverage *coverage, const struct instance *instance)
{
    buffer_clear(&memo->text);
    instance_print(instance, coverage_sites(coverage), SITE_FULL, &memo->text);
    return buffer_text(&memo->text);
}

void campaign_memo_look_up(struct campaign_memo *memo, const struct coverage *coverage, struct targets *targets)
{
    for (; memo->looked_up < coverage_instance_count(coverage) && !stop_requested(); memo->looked_up++) {
        const struct instance *instance = coverage_instance(coverage, memo->looked_up);
        const char *text = text_of(memo, coverage, instance);
        const uint64_t *known = table_get(&memo->known, key_of(families[instance->row].name, text));
        if (known != NULL)
            targets_know(targets, memo->looked_up, (*known & KNOWN_COVERED) != 0, *known >> KNOWN_FAILED_SHIFT,
                         (*known & KNOWN_IMPOSSIBLE) != 0);
    }
}

bool campaign_memo_is_new_site(struct campaign_memo *memo, const struct coverage *coverage, uint32_t site)
{
    if (memo->sites.count == 0)
        return false;
    buffer_clear(&memo->text);
    sites_print(coverage_sites(coverage), site, SITE_FULL, &memo->text);
    return table_get(&memo->sites, hash_string(buffer_text(&memo->text))) == NULL;
}

/* What is new about the instance since it was stored last; false: nothing. */
static bool news_of(struct campaign_memo *memo, const struct coverage *coverage, const struct targets *targets,
                    size_t number, struct memo_instance *news)
{
    struct stored *stored = &memo->stored.data[number];
    uint64_t runs = coverage_seen(coverage, number);
    const struct target *target = targets_find(targets, number);
    struct target now = target != NULL ? *target : (struct target){0};
    bool predicted = coverage_is_predicted(coverage, number);
    bool impossible = coverage_is_impossible(coverage, number);
    *news = (struct memo_instance){
        .covered = runs - stored->runs,
        .exposed = now.exposed - stored->exposed,
        .attempts = now.attempts - stored->attempts,
        .failed = now.failed - stored->failed,
        .predicted = predicted,
        .impossible = impossible,
        .verdict = now.attempts > stored->attempts ? director_verdict_name((enum attempt_verdict)now.verdict) : NULL};
    bool changed =
        news->covered + news->attempts > 0 || predicted != stored->predicted || impossible != stored->impossible;
    *stored = (struct stored){runs, now.attempts, now.failed, now.exposed, predicted, impossible};
    return changed;
}

bool campaign_memo_store(struct campaign_memo *memo, const struct coverage *coverage, const struct targets *targets,
                         struct error *error)
{
    VECTOR(struct memo_instance) all = {0};
    VECTOR(char *) texts = {0};
    while (memo->stored.count < coverage_instance_count(coverage))
        vector_push(&memo->stored, ((struct stored){0}));
    for (size_t i = 0; i < memo->stored.count && !stop_requested(); i++) {
        struct memo_instance news;
        if (!news_of(memo, coverage, targets, i, &news))
            continue;
        const struct instance *instance = coverage_instance(coverage, i);
        char *text = memory_copy_string(text_of(memo, coverage, instance));
        vector_push(&texts, text);
        news.family = families[instance->row].name;
        news.text = text;
        vector_push(&all, news);
    }
    bool good = all.count == 0 || memo_store(memo->memo, all.data, all.count, error);
    for (size_t i = 0; i < texts.count; i++)
        free(texts.data[i]);
    vector_free(&texts);
    vector_free(&all);
    return good;
}

bool campaign_memo_store_cores(struct campaign_memo *memo, struct coverage *coverage, struct symbols *symbols,
                               struct error *error)
{
    const struct cores *cores = coverage_cores(coverage);
    VECTOR(struct memo_core) all = {0};
    VECTOR(char *) texts = {0};
    for (; memo->stored_cores < cores->found.count && !stop_requested(); memo->stored_cores++) {
        const struct kept_core *kept = &cores->found.data[memo->stored_cores];
        if (kept->core.count == 0 || kept->row >= family_count) /* no critical section has a part in it */
            continue;
        struct buffer words = {0};
        core_words(&kept->core, coverage_sites(coverage), symbols, &words);
        vector_push(&texts, memory_format("%016" PRIx64, kept->key));
        vector_push(&texts, memory_copy_string(buffer_text(&words)));
        buffer_free(&words);
        vector_push(&all, ((struct memo_core){.family = families[kept->row].name}));
    }
    for (size_t i = 0; i < all.count; i++) {
        all.data[i].key = texts.data[2 * i];
        all.data[i].text = texts.data[2 * i + 1];
    }
    bool good = all.count == 0 || memo_store_cores(memo->memo, all.data, all.count, error);
    for (size_t i = 0; i < texts.count; i++)
        free(texts.data[i]);
    vector_free(&texts);
    vector_free(&all);
    return good;
}

static char *command_text(char *const *command)
{
    struct buffer text = {0};
    for (char *const *word = command; *word != NULL; word++) {
        if (word != command)
            buffer_add_char(&text, ' ');
        buffer_add_quoted(&text, *word);
    }
    char *copy = memory_copy_string(buffer_text(&text));
    buffer_free(&text);
    return copy;
}

/* Covered here, and by no earlier campaign. */
static uint64_t newly_covered(struct campaign_memo *memo, const struct coverage *coverage)
{
    uint64_t count = 0;
    for (size_t i = 0; i < coverage_instance_count(coverage) && !stop_requested(); i++) {
        if (coverage_seen(coverage, i) == 0)
            continue;
        const struct instance *instance = coverage_instance(coverage, i);
        const char *text = text_of(memo, coverage, instance);
        const uint64_t *known = table_get(&memo->known, key_of(families[instance->row].name, text));
        count += known == NULL || !(*known & KNOWN_COVERED);
    }
    return count;
}

bool campaign_memo_campaign(struct campaign_memo *memo, const struct campaign_settings *settings, uint64_t seed,
                            const struct results *results, struct error *error)
{
    char *input = command_text(settings->setup.command);
    struct memo_run run = {.input = input,
                           .seed = seed,
                           .schedules = results->schedules,
                           .newly_covered = newly_covered(memo, results->coverage),
                           .seconds = results->seconds};
    bool good = memo_add_run(memo->memo, &run, error);
    free(input);
    for (size_t i = 0; good && i < results->failures.count; i++) {
        const struct result_failure *failure = &results->failures.data[i];
        struct memo_failure kept = {.key = failure->key,
                                    .kind = failure->kind,
                                    .site = failure->site,
                                    .path = failure->path,
                                    .times = failure->count > 0 ? failure->count : 1};
        good = memo_add_failure(memo->memo, &kept, error);
    }
    return good;
}
