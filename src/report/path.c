/* Dotted paths into a document, so that whoever describes the environment needs one call a value
 * and never sees the JSON library. */
#include "report/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_DIGITS = 6, PART_BYTES = 256 }; /* no array is longer than 10^6, no key than 255 */

typedef struct {
    char name[PART_BYTES];
    bool is_index;
    size_t index;
} path_part;

static bool all_digits(const char *text)
{
    size_t length = strspn(text, "0123456789");

    return text[length] == '\0' && length > 0 && length <= INDEX_DIGITS;
}

/* The part at `path`; returns what follows it and its dot, "" at the end. */
static const char *take_part(const char *path, path_part *part)
{
    const char *bracket = path[0] == '[' ? strchr(path, ']') : NULL;
    const char *start = bracket != NULL ? path + 1 : path;
    const char *end = bracket != NULL ? bracket : strchrnul(path, '.');

    snprintf(part->name, sizeof(part->name), "%.*s", (int)(end - start), start);
    part->is_index = bracket == NULL && all_digits(part->name);
    part->index = part->is_index ? strtoul(part->name, NULL, 10) : 0;
    if (bracket != NULL)
        end++;
    return *end == '.' ? end + 1 : end;
}

static json_t *child_of(const json_t *parent, const path_part *part)
{
    if (json_is_array(parent))
        return part->is_index ? json_array_get(parent, part->index) : NULL;
    return json_object_get(parent, part->name);
}

/* Indices may come in any order; a place that none has filled yet holds null. */
static bool set_element(json_t *array, size_t index, json_t *value)
{
    while (json_array_size(array) <= index) {
        if (json_array_append_new(array, json_null()) != 0) {
            json_decref(value);
            return false;
        }
    }
    return json_array_set_new(array, index, value) == 0;
}

/* Takes the reference to `value`, also on failure. */
static bool set_child(json_t *parent, const path_part *part, json_t *value)
{
    if (json_is_object(parent))
        return json_object_set_new(parent, part->name, value) == 0;
    if (json_is_array(parent) && part->is_index)
        return set_element(parent, part->index, value);
    json_decref(value);
    return false;
}

/* The container under `part`, made when it is not there: an array when the part after it is an
 * index. */
static json_t *container_at(json_t *parent, const path_part *part, const char *rest)
{
    json_t *child = child_of(parent, part);
    path_part next;

    if (child != NULL && !json_is_null(child))
        return child;
    take_part(rest, &next);
    child = next.is_index ? json_array() : json_object();
    return set_child(parent, part, child) ? child : NULL;
}

bool report_path_set(json_t *root, const char *path, json_t *value)
{
    json_t *node = root;
    path_part part;

    for (;;) {
        path = take_part(path, &part);
        if (*path == '\0')
            return set_child(node, &part, value);
        node = container_at(node, &part, path);
        if (node == NULL) {
            json_decref(value);
            return false;
        }
    }
}

json_t *report_path_get(const json_t *root, const char *path)
{
    json_t *node = NULL;
    path_part part;

    do {
        path = take_part(path, &part);
        node = child_of(root, &part);
        root = node;
    } while (node != NULL && *path != '\0');
    return node;
}
