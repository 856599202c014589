/* The last error of a factory. */
#include <pthread.h>
#include <stdio.h>

#include "transport/transport.h"

/* One for all factories: errors are rare. */
static pthread_mutex_t last_errors = PTHREAD_MUTEX_INITIALIZER;

cb_status transport_noted(transport_factory *factory, cb_status status)
{
    const char *text = cb_is_error(status) ? cb_new_error() : NULL;

    if (text == NULL)
        return status;
    pthread_mutex_lock(&last_errors);
    snprintf(factory->last_error, sizeof(factory->last_error), "%s", text);
    pthread_mutex_unlock(&last_errors);
    return status;
}

bool transport_last_error(const transport_factory *factory, char *text, size_t bytes)
{
    bool any;

    pthread_mutex_lock(&last_errors);
    snprintf(text, bytes, "%s", factory->last_error);
    any = factory->last_error[0] != '\0';
    pthread_mutex_unlock(&last_errors);
    return any;
}

cb_status transport_report_owner(transport_factory *factory, const transport_factory *owner)
{
    cb_error("cannot send a buffer of another factory (technology %s) over %s: create it with the "
             "factory of the node or group, and copy the data",
             owner->ops.name, factory->ops.name);
    return transport_noted(factory, CB_ERROR_USAGE);
}
