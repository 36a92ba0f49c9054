/* SPDX-License-Identifier: MIT
 *
 * runlog.c - one line per schedule of a campaign.
 */
#include "campaign/runlog.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "trace/schedule.h"
#include "trace/transitions.h"
#include "util/hash.h"

FILE *runlog_open(const char *path, struct error *error)
{
    FILE *stream = fopen(path, "we");
    if (stream == NULL) {
        error_set(error, EXIT_USAGE, "cannot write %s: %s; choose another file with --log-runs", path, strerror(errno));
        return NULL;
    }
    fputs("schedule\tstrategy\tseed\tverdict\tstatus\tpoints\toperations\tthreads\tfindings\tsteps\tstdout\tstderr\tbeh"
          "aviour\n",
          stream);
    return stream;
}

static const char *verdict_name(const struct judgement *judgement)
{
    switch (judgement->verdict) {
    case VERDICT_GOOD:
        return "good";
    case VERDICT_FAILURE:
        return result_kind_name(judgement->finding.kind);
    case VERDICT_UNFINISHED:
        return "unfinished";
    default:
        return "lost";
    }
}

static void write_status(FILE *stream, const struct slot *slot)
{
    int status = slot->server.status;
    if (WIFSIGNALED(status) && !slot->server.hung)
        fprintf(stream, "signal %d", WTERMSIG(status));
    else if (WIFEXITED(status) && slot->copy.result.end == END_EXIT)
        fprintf(stream, "exit %d", WEXITSTATUS(status));
    else
        fputc('-', stream);
}

static uint64_t output_digest(const struct output *output)
{
    struct buffer text = {0};
    output_read(output, &text);
    uint64_t digest = hash_bytes(text.data, text.size, 0);
    buffer_free(&text);
    return digest;
}

void runlog_write(FILE *stream, const struct slot *slot, const struct judgement *judgement)
{
    const struct wire_copy *copy = &slot->copy;
    fprintf(stream, "%" PRIu64 "\t%s\t%" PRIu64 "\t%s\t", slot->number, portfolio_run_name(&slot->run),
            slot->plan->seed, verdict_name(judgement));
    write_status(stream, slot);
    fprintf(stream, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32, copy->result.points, copy->result.operations,
            copy->result.task_count, copy->result.finding_count);
    fprintf(stream, "\t%016" PRIx64 "\t%016" PRIx64 "\t%016" PRIx64 "\t%016" PRIx64 "\n",
            schedule_hash(copy->steps.data, copy->steps.count), output_digest(&slot->server.output),
            output_digest(&slot->server.errors), transitions_digest(copy));
}

bool runlog_close(FILE *stream, const char *path, struct error *error)
{
    bool good = !ferror(stream);
    good = fclose(stream) == 0 && good;
    if (!good)
        error_set(error, EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
    return good;
}
