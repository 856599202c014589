/* The defects, by name. */
#include "tests/cli/defects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    defect_way to;
    transport_buffer *buffer; /* NULL: no message is held back */
    bool swaps;               /* with the next message */
} held;

static cb_status pass(defect_way to, transport_buffer *buffer)
{
    return to.group != NULL ? transport_mpi.group_send(to.group, buffer)
                            : transport_mpi.send(to.node, buffer);
}

static cb_status drop(defect_way to, transport_buffer *buffer)
{
    (void)to;
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status send_twice(defect_way to, transport_buffer *buffer)
{
    transport_buffer *copy = transport_buffer_create(buffer->owner, buffer->size);

    if (copy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy->data, buffer->data, buffer->size);
    CB_TRY(pass(to, buffer));
    return pass(to, copy);
}

static cb_status hold(defect_way to, transport_buffer *buffer)
{
    CB_TRY(defect_send_held());
    held.to = to;
    held.buffer = buffer;
    return CB_OK;
}

static cb_status swap(defect_way to, transport_buffer *buffer)
{
    CB_TRY(hold(to, buffer));
    held.swaps = true;
    return CB_OK;
}

/* The byte is restored after sending, since the buffer will be reused without being filled
 * again. */
static cb_status send_with_error(defect_way to, transport_buffer *buffer, size_t place)
{
    unsigned char *byte = (unsigned char *)buffer->data + place;
    transport_factory *factory = buffer->owner;
    cb_status status;

    *byte ^= 1;
    status = pass(to, buffer);
    if (status == CB_OK)
        status = transport_mpi.flush(factory);
    *byte ^= 1;
    return status;
}

static cb_status corrupt(defect_way to, transport_buffer *buffer)
{
    return send_with_error(to, buffer, buffer->size - 1);
}

static cb_status mislabel(defect_way to, transport_buffer *buffer)
{
    return send_with_error(to, buffer, 0);
}

static cb_status cut(defect_way to, transport_buffer *buffer)
{
    buffer->size--;
    return pass(to, buffer);
}

defect defect_named(const char *name)
{
    static const struct {
        const char *name;
        defect apply;
    } table[] = {
        {"drop", drop},       {"double", send_twice}, {"reorder", hold}, {"swap", swap},
        {"corrupt", corrupt}, {"mislabel", mislabel}, {"cut", cut},
    };

    for (size_t i = 0; name != NULL && i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].apply;
    return NULL;
}

cb_status defect_send(defect_way to, transport_buffer *buffer)
{
    if (held.swaps && buffer->size > 0) {
        transport_buffer *earlier = held.buffer;

        held.swaps = false;
        held.buffer = buffer;
        CB_TRY(pass(to, earlier));
        return defect_send_held();
    }
    CB_TRY(pass(to, buffer));
    return held.to.node == to.node && held.to.group == to.group ? defect_send_held() : CB_OK;
}

cb_status defect_send_held(void)
{
    transport_buffer *buffer = held.buffer;

    if (buffer == NULL)
        return CB_OK;
    held.buffer = NULL;
    return pass(held.to, buffer);
}

uint64_t defect_number(const char *name, uint64_t without)
{
    const char *text = getenv(name);

    return text != NULL ? strtoumax(text, NULL, 10) : without;
}

size_t defect_words(const char *name, const char *without, const char *words[DEFECT_WORDS])
{
    const char *value = getenv(name);
    char *text = strdup(value != NULL ? value : without);
    size_t count = 0;

    if (text == NULL)
        abort();
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        if (count == DEFECT_WORDS)
            abort();
        words[count++] = word;
    }
    for (size_t i = count; i < DEFECT_WORDS; i++)
        words[i] = count > 0 ? words[count - 1] : "";
    return count;
}
