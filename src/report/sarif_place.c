/* SPDX-License-Identifier: MIT
 *
 * sarif_place.c - messages, locations and artifacts of SARIF.
 *
 * A source file is named by a relative reference to SRCROOT: as it was given to the compiler, or below the directory that the
 * program was run in.  Any other absolute path becomes a file: URI.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/sarif_private.h"
#include "util/file.h"

void sarif_message(struct json_writer *json, const char *name, const char *text)
{
    struct buffer plain = {0};
    for (const char *c = text; *c != '\0'; c++) {
        buffer_add_char(&plain, *c);
        if (*c == '{' || *c == '}')
            buffer_add_char(&plain, *c);
        else if (c[0] == ']' && c[1] == '(')
            buffer_add_char(&plain, ' ');
    }
    json_begin(json, name, '{');
    json_text(json, "text", buffer_text(&plain));
    json_end(json);
    buffer_free(&plain);
}

/* ---- URIs ----------------------------------------------------------------------------------------------------------------- */

static void add_segment(struct buffer *uri, const char *segment, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)segment[i];
        if (isalnum(c) || (c != '\0' && strchr("-._~", c) != NULL))
            buffer_add_char(uri, (char)c);
        else
            buffer_printf(uri, "%%%02X", c);
    }
}

/* Goes up one directory; false if there is none to leave. */
static bool drop_segment(struct buffer *uri, size_t begin)
{
    size_t end = uri->size;
    if (end <= begin)
        return false;
    end--; /* the slash */
    while (end > begin && uri->data[end - 1] != '/')
        end--;
    if (strncmp(uri->data + end, "../", 3) == 0)
        return false;
    uri->size = end;
    uri->data[end] = '\0';
    return true;
}

/* The path percent-encoded, without "." and "x/..", which is what normalised means. */
static void add_path(struct buffer *uri, const char *path)
{
    size_t begin = uri->size;
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        bool up = length == 2 && memcmp(path, "..", 2) == 0;
        bool skip = length == 0 || (length == 1 && *path == '.') || (up && drop_segment(uri, begin));
        if (!skip) {
            add_segment(uri, path, length);
            if (path[length] == '/')
                buffer_add_char(uri, '/');
        }
        path += length + (path[length] == '/');
    }
}

/* What is left of path below directory, or NULL. */
static const char *below(const char *path, const char *directory)
{
    size_t length = directory != NULL ? strlen(directory) : 0;
    while (length > 1 && directory[length - 1] == '/')
        length--;
    bool inside = length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/';
    return inside ? path + length + 1 : NULL;
}

/* The number of the artifact; it is added if it is new. */
static size_t artifact_of(struct sarif *sarif, const char *file, const char *directory)
{
    struct buffer uri = {0};
    const char *inside = below(file, directory);
    bool based = file[0] != '/' || inside != NULL;
    if (!based)
        buffer_add_string(&uri, "file:///");
    add_path(&uri, inside != NULL ? inside : file);
    for (size_t i = 0; i < sarif->artifacts.count; i++)
        if (strcmp(sarif->artifacts.data[i].uri, buffer_text(&uri)) == 0) {
            buffer_free(&uri);
            return i;
        }
    vector_push(&sarif->artifacts, (struct sarif_artifact){buffer_take(&uri), based});
    return sarif->artifacts.count - 1;
}

static void write_artifact_location(struct sarif *sarif, const char *name, size_t index)
{
    const struct sarif_artifact *artifact = &sarif->artifacts.data[index];
    json_begin(&sarif->json, name, '{');
    json_text(&sarif->json, "uri", artifact->uri);
    if (artifact->based)
        json_text(&sarif->json, "uriBaseId", SARIF_BASE);
    json_number(&sarif->json, "index", index);
    json_end(&sarif->json);
}

/* The language by the end of the name, as SARIF spells them; NULL: unknown. */
static const char *language_of(const char *uri)
{
    static const char *const endings[][2] = {{".c", "c"},           {".h", "c"},           {".cc", "cplusplus"},
                                             {".cpp", "cplusplus"}, {".cxx", "cplusplus"}, {".hpp", "cplusplus"},
                                             {".hh", "cplusplus"}};
    const char *dot = strrchr(uri, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i][0]) == 0)
            return endings[i][1];
    return NULL;
}

void sarif_write_artifacts(struct sarif *sarif)
{
    json_begin(&sarif->json, "artifacts", '[');
    for (size_t i = 0; i < sarif->artifacts.count; i++) {
        const char *language = language_of(sarif->artifacts.data[i].uri);
        json_begin(&sarif->json, NULL, '{');
        write_artifact_location(sarif, "location", i);
        json_begin(&sarif->json, "roles", '[');
        json_text(&sarif->json, NULL, "tracedFile");
        json_end(&sarif->json);
        if (language != NULL)
            json_text(&sarif->json, "sourceLanguage", language);
        json_end(&sarif->json);
    }
    json_end(&sarif->json);
    for (size_t i = 0; i < sarif->artifacts.count; i++)
        free(sarif->artifacts.data[i].uri);
    vector_free(&sarif->artifacts);
}

/* ---- locations ------------------------------------------------------------------------------------------------------------ */

static void write_physical(struct sarif *sarif, const char *file, const char *directory, uint32_t line,
                           const char *source)
{
    struct json_writer *json = &sarif->json;
    size_t artifact = artifact_of(sarif, file, directory);
    json_begin(json, "physicalLocation", '{');
    write_artifact_location(sarif, "artifactLocation", artifact);
    if (line > 0) {
        json_begin(json, "region", '{');
        json_number(json, "startLine", line);
        if (source != NULL && source[0] != '\0') {
            json_begin(json, "snippet", '{');
            json_text(json, "text", source);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_function(struct json_writer *json, const char *function)
{
    json_begin(json, "logicalLocations", '[');
    json_begin(json, NULL, '{');
    json_text(json, "name", function);
    json_text(json, "kind", "function");
    json_end(json);
    json_end(json);
}

void sarif_place(struct sarif *sarif, const char *name, const struct report_failure *failure, int32_t place,
                 const char *message, int id)
{
    struct json_writer *json = &sarif->json;
    const struct tale_place *at = place >= 0 ? &failure->tale.places.data[place] : NULL;
    json_begin(json, name, '{');
    if (id >= 0)
        json_number(json, "id", (uint64_t)id);
    if (at != NULL && at->file[0] != '\0')
        write_physical(sarif, at->file, failure->about.directory, at->line, at->source);
    if (at != NULL && at->function[0] != '\0')
        write_function(json, at->function);
    if (message != NULL)
        sarif_message(json, "message", message);
    json_end(json);
}

/* A place in a file with this base name, from the tales of the program; or NULL. */
static const struct tale_place *place_by_name(const struct report_program *program, const char *name, size_t length,
                                              const char **directory)
{
    for (size_t i = 0; i < program->failures.count; i++) {
        const struct report_failure *failure = &program->failures.data[i];
        for (size_t k = 0; failure->has_tale && k < failure->tale.places.count; k++) {
            const struct tale_place *place = &failure->tale.places.data[k];
            const char *base = file_base_name(place->file);
            if (place->file[0] != '\0' && strlen(base) == length && memcmp(base, name, length) == 0) {
                *directory = failure->about.directory;
                return place;
            }
        }
    }
    return NULL;
}

void sarif_site(struct sarif *sarif, const char *name, const char *site)
{
    const char *colon = strrchr(site, ':');
    size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;
    json_begin(&sarif->json, name, '{');
    if (colon != NULL && colon > site && digits > 0 && digits < 9 && colon[1 + digits] == '\0' && colon[1] != '0') {
        const char *directory = NULL;
        size_t length = (size_t)(colon - site);
        const struct tale_place *place = place_by_name(sarif->program, site, length, &directory);
        char *file = place != NULL ? memory_copy_string(place->file) : memory_format("%.*s", (int)length, site);
        write_physical(sarif, file, directory, (uint32_t)strtoul(colon + 1, NULL, 10), NULL);
        free(file);
    }
    sarif_message(&sarif->json, "message", site);
    json_end(&sarif->json);
}
