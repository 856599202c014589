/* Transports and network devices: those of this host, and those that an endpoint uses. */
#include "config.h"

#include "transport/ucx/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uct/api/uct.h>

#include "base/log.h"
#include "base/memory.h"

enum { NAME_BYTES = 64, NAMES_BYTES = 512 };

/* What this host has: "posix, sysv, tcp". */
typedef struct {
    char transports[NAMES_BYTES], devices[NAMES_BYTES];
} resources;

/* Lists of names */

static bool contains(const char *list, const char *name, const char *separator)
{
    const size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || strchr(separator, at[-1]) != NULL) &&
            (at[length] == '\0' || strchr(separator, at[length]) != NULL))
            return true;
    return false;
}

/* A name that has no room is left out. */
static void add_name(char *list, size_t list_bytes, const char *name)
{
    const size_t used = strlen(list), needed = used + strlen(name) + sizeof(", ");

    if (needed <= list_bytes && !contains(list, name, ", "))
        snprintf(list + used, list_bytes - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Resources of this host */

static void list_domain(uct_component_h component, const char *domain, resources *here)
{
    uct_tl_resource_desc_t *list = NULL;
    uct_md_config_t *config;
    unsigned count = 0;
    uct_md_h opened;

    if (uct_md_config_read(component, NULL, NULL, &config) != UCS_OK)
        return;
    if (uct_md_open(component, domain, config, &opened) == UCS_OK) {
        if (uct_md_query_tl_resources(opened, &list, &count) == UCS_OK) {
            for (unsigned i = 0; i < count; i++) {
                add_name(here->transports, sizeof(here->transports), list[i].tl_name);
                if (list[i].dev_type == UCT_DEVICE_TYPE_NET)
                    add_name(here->devices, sizeof(here->devices), list[i].dev_name);
            }
            uct_release_tl_resource_list(list);
        }
        uct_md_close(opened);
    }
    uct_config_release(config);
}

static void list_component(uct_component_h component, resources *here)
{
    uct_component_attr_t found = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};

    if (uct_component_query(component, &found) != UCS_OK || found.md_resource_count == 0)
        return;
    found.md_resources = cb_allocate(found.md_resource_count, sizeof(*found.md_resources),
                                     "the memory domains of UCX");
    if (found.md_resources == NULL)
        return;
    found.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    if (uct_component_query(component, &found) == UCS_OK)
        for (unsigned i = 0; i < found.md_resource_count; i++)
            list_domain(component, found.md_resources[i].md_name, here);
    free(found.md_resources);
}

static void list_resources(resources *here)
{
    uct_component_h *components;
    unsigned count;

    *here = (resources){.transports = ""};
    if (uct_query_components(&components, &count) != UCS_OK)
        return;
    for (unsigned i = 0; i < count; i++)
        list_component(components[i], here);
    uct_release_component_list(components);
}

cb_status ucx_probe(char *text, size_t bytes)
{
    resources here;

    list_resources(&here);
    if (here.transports[0] == '\0') {
        char variables[TRANSPORT_VARIABLES_BYTES];

        cb_error("UCX has no transport here%s; see ucx_info -d",
                 transport_variables("UCX_", variables));
        return CB_ERROR_UNSUPPORTED;
    }
    snprintf(text, bytes, "%s with the transports %s and the devices %s", ucp_get_version_string(),
             here.transports, here.devices[0] != '\0' ? here.devices : "none");
    return CB_OK;
}

/* What the user asks for */

/* A name that stands for several transports, as "sm": here if UCX starts with it alone. */
static bool starts_alone(const char *name)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM};
    ucp_context_h context;
    ucp_config_t *config;
    bool starts;

    if (ucp_config_read(NULL, NULL, &config) != UCS_OK)
        return false;
    starts = ucp_config_modify(config, "LOG_LEVEL", "fatal") == UCS_OK &&
             ucp_config_modify(config, "TLS", name) == UCS_OK &&
             ucp_init(&params, config, &context) == UCS_OK;
    ucp_config_release(config);
    if (starts)
        ucp_cleanup(context);
    return starts;
}

static bool has_transport(const resources *here, const char *name)
{
    return contains(here->transports, name, ", ") || starts_alone(name);
}

static bool has_device(const resources *here, const char *name)
{
    return strcmp(name, "all") == 0 || contains(here->devices, name, ", ");
}

static cb_status check_names(const resources *here, const char *given, const char *parameter,
                             bool (*has)(const resources *here, const char *name), const char *list)
{
    /* As UCX has it, ^ before a list excludes its names, and \ before a name is no part of it. */
    const char *at = given + strspn(given, "^");

    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        char name[NAME_BYTES];

        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        if (length > 0 && !has(here, name[0] == '\\' ? name + 1 : name)) {
            cb_error("cannot open the technology ucx with %s=%s: this host has no '%s'; choose "
                     "from %s (see ucx_info -d)",
                     parameter, given, name, list[0] != '\0' ? list : "none");
            return CB_ERROR_USAGE;
        }
        at += length + (at[length] == ',');
    }
    return CB_OK;
}

cb_status ucx_check_resources(const ucx_settings *settings)
{
    const char *transports = cb_parameter_text(settings->transports);
    const char *devices = cb_parameter_text(settings->devices);
    resources here;

    if (transports[0] == '\0' && devices[0] == '\0')
        return CB_OK;
    list_resources(&here);
    CB_TRY(check_names(&here, transports, "transports", has_transport, here.transports));
    return check_names(&here, devices, "devices", has_device, here.devices);
}

/* The library tells it in a text only: a line for each lane of the endpoint, "lane[0]:
 * 1:posix/memory.0 md[1] ...", and, if a lane can put, a line "put[0]: ...". */
void ucx_inspect(ucx_peer *peer)
{
    remote_factory *remote = &peer->factory->remote;
    char *text = NULL, *rest = NULL, name[NAME_BYTES];
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    if (stream == NULL)
        return;
    ucp_ep_print_info(peer->endpoint, stream);
    fclose(stream);
    peer->puts_in_order = strstr(text, " am_send: ") != NULL && strstr(text, " put[") == NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        if (sscanf(line, "# lane[%*d]: %*d:%63[^. ]", name) == 1)
            add_name(remote->base.network, sizeof(remote->base.network), name);
    free(text);
}
