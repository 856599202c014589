/* The choice of the provider and its domain. */
#include "transport/ofi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rdma/fi_errno.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/common/host.h"

enum { LEAST_DATA_BYTES = 4, NAME_BYTES = 64, LIST_BYTES = 400 };

static const uint32_t version = FI_VERSION(1, 9);

/* The order in which a provider is chosen; docs/reference/technologies.md has it. shm comes before
 * all if every rank is on one host, and is not chosen otherwise. Providers that are not listed come
 * last. A name means also the provider below a utility provider, as in verbs;ofi_rxm. */
static const char *const preferred[] = {"cxi", "verbs", "efa", "psm3", "opx", "psm2", "tcp", "net"};

enum { PREFERRED = sizeof(preferred) / sizeof(preferred[0]) };

static bool is_named(const struct fi_info *info, const char *name)
{
    const char *provider = info->fabric_attr->prov_name;
    const size_t length = strlen(name);

    return strncmp(provider, name, length) == 0 &&
           (provider[length] == '\0' || provider[length] == ';');
}

static size_t place_of(const struct fi_info *info)
{
    size_t place = 0;

    while (place < PREFERRED && !is_named(info, preferred[place]))
        place++;
    return place;
}

bool ofi_serves(const struct fi_info *info, bool writes, char why[CB_WHY_BYTES])
{
    if (writes && (info->caps & FI_RMA) == 0)
        snprintf(why, CB_WHY_BYTES, "it cannot write to remote memory (FI_RMA)");
    else if (writes && info->domain_attr->cq_data_size < LEAST_DATA_BYTES)
        snprintf(why, CB_WHY_BYTES,
                 "its completions carry %zu bytes of data (cq_data_size), of which %d are needed",
                 info->domain_attr->cq_data_size, LEAST_DATA_BYTES);
    else
        return true;
    return false;
}

/* Querying the library */

static struct fi_info *make_hints(const ofi_factory *factory, const transport_bootstrap *bootstrap,
                                  bool writes)
{
    const ofi_settings *settings = factory->settings;
    struct fi_info *hints = fi_allocinfo();

    if (hints == NULL)
        return NULL;
    hints->caps = FI_TAGGED | (writes ? FI_RMA : FI_MSG);
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = bootstrap->many_senders ? FI_THREAD_SAFE : FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->tx_attr->size = (size_t)settings->tx_depth;
    hints->rx_attr->size = (size_t)settings->rx_depth;
    if (settings->inject_size != CB_PARAMETER_ABSENT)
        hints->tx_attr->inject_size = (size_t)settings->inject_size;
    if (settings->provider != 0)
        hints->fabric_attr->prov_name = strdup(cb_parameter_text(settings->provider));
    if (settings->domain != 0)
        hints->domain_attr->name = strdup(cb_parameter_text(settings->domain));
    return hints;
}

/* NULL: none. */
static struct fi_info *query(struct fi_info *hints)
{
    struct fi_info *found = NULL;

    if (hints == NULL || fi_getinfo(version, NULL, NULL, 0, hints, &found) != 0)
        found = NULL;
    if (hints != NULL)
        fi_freeinfo(hints);
    return found;
}

/* Reporting that nothing was found */

static bool has_name(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

static void append_name(char *list, const char *name)
{
    const size_t used = strlen(list);

    if (!has_name(list, name))
        snprintf(list + used, LIST_BYTES - used, "%s%s", used > 0 ? ", " : "", name);
}

/* The providers that have endpoints for reliable datagrams, or the domains of these. */
static void list_names(const char *provider, bool domains, char list[LIST_BYTES])
{
    struct fi_info *hints = fi_allocinfo(), *found;

    list[0] = '\0';
    if (hints == NULL)
        return;
    hints->mode = ~UINT64_C(0);
    hints->domain_attr->mode = ~UINT64_C(0);
    hints->domain_attr->mr_mode = ~3;
    hints->ep_attr->type = FI_EP_RDM;
    if (provider != NULL)
        hints->fabric_attr->prov_name = strdup(provider);
    found = query(hints);
    for (const struct fi_info *info = found; info != NULL; info = info->next)
        append_name(list, domains ? info->domain_attr->name : info->fabric_attr->prov_name);
    fi_freeinfo(found);
}

static void report_unknown_provider(const char *provider)
{
    char names[LIST_BYTES], variables[TRANSPORT_VARIABLES_BYTES];

    list_names(NULL, false, names);
    if (names[0] == '\0')
        cb_error("libfabric has no provider for reliable datagrams here%s; %s",
                 transport_variables("FI_", variables),
                 getenv("FI_PROVIDER") != NULL ? "unset FI_PROVIDER, or use another --technology"
                                               : "use another --technology");
    else
        cb_error(
            "libfabric has no provider '%s' for reliable datagrams here%s; there are: %s; choose "
            "one by --parameter provider=NAME",
            provider, transport_variables("FI_", variables), names);
}

static void report_unserved(const ofi_factory *factory, const transport_bootstrap *bootstrap,
                            const char *provider, bool writes)
{
    const ofi_settings *settings = factory->settings;
    char variables[TRANSPORT_VARIABLES_BYTES];
    struct fi_info *messages = writes ? query(make_hints(factory, bootstrap, false)) : NULL;

    if (messages != NULL)
        cb_error("libfabric's provider %s cannot serve method=write: it cannot write to remote "
                 "memory (FI_RMA); use --parameter method=message or another provider",
                 messages->fabric_attr->prov_name);
    else
        cb_error("libfabric's provider %s has no endpoint for messages with tx_depth %llu, "
                 "rx_depth %llu and this inject_size%s; leave them out, or choose another by "
                 "--parameter provider=NAME",
                 provider, (unsigned long long)settings->tx_depth,
                 (unsigned long long)settings->rx_depth, transport_variables("FI_", variables));
    fi_freeinfo(messages);
}

cb_status ofi_probe(char *text, size_t bytes)
{
    char names[LIST_BYTES], variables[TRANSPORT_VARIABLES_BYTES];

    list_names(NULL, false, names);
    if (names[0] == '\0') {
        cb_error("libfabric has no provider for reliable datagrams here%s; see fi_info -l",
                 transport_variables("FI_", variables));
        return CB_ERROR_UNSUPPORTED;
    }
    snprintf(text, bytes, "%u.%u with the providers %s", FI_MAJOR(fi_version()),
             FI_MINOR(fi_version()), names);
    return CB_OK;
}

/* Why nothing matches: CB_ERROR_USAGE if there is no such name, else CB_ERROR_UNSUPPORTED.
 * `report`: say so, from the most general cause to the most particular. */
static cb_status explain_nothing(const ofi_factory *factory, const transport_bootstrap *bootstrap,
                                 bool writes, bool report)
{
    const ofi_settings *settings = factory->settings;
    const char *provider = settings->provider != 0 ? cb_parameter_text(settings->provider) : NULL;
    const char *domain = cb_parameter_text(settings->domain);
    char names[LIST_BYTES];

    list_names(provider, true, names);
    if (names[0] == '\0') {
        if (report)
            report_unknown_provider(provider != NULL ? provider : "");
        return provider != NULL ? CB_ERROR_USAGE : CB_ERROR_UNSUPPORTED;
    }
    if (settings->domain != 0 && !has_name(names, domain)) {
        if (report)
            cb_error("libfabric has no domain '%s' of %s here; there are: %s; choose one by "
                     "--parameter domain=NAME",
                     domain, provider != NULL ? provider : "any provider", names);
        return CB_ERROR_USAGE;
    }
    if (report)
        report_unserved(factory, bootstrap, provider != NULL ? provider : "of any name", writes);
    return CB_ERROR_UNSUPPORTED;
}

/* Choosing. shm needs one host: one name, one network, one /dev/shm, one set of process ids. */

typedef struct {
    transport_host host;
    uint64_t memory; /* device of /dev/shm */
} host_identity;

/* What the ranks tell each other. */
typedef struct {
    host_identity host;
    cb_status status;
    bool has_shm;
    char provider[NAME_BYTES]; /* the first in order other than shm, or the one given */
} preference;

static void identify_host(host_identity *out)
{
    struct stat found;

    memset(out, 0, sizeof(*out));
    transport_identify_host(&out->host);
    out->memory = stat("/dev/shm", &found) == 0 ? (uint64_t)found.st_dev : 0;
}

/* Not all providers heed the domain of the hints. */
static bool has_domain(const struct fi_info *info, uint64_t domain)
{
    return domain == 0 || strcmp(info->domain_attr->name, cb_parameter_text(domain)) == 0;
}

/* The first in order that serves; `shm`: only that, else anything but that, unless it is given. */
static struct fi_info *find(const ofi_factory *factory, struct fi_info *all, bool writes, bool shm)
{
    const bool given = factory->settings->provider != 0;
    struct fi_info *best = NULL;
    char why[CB_WHY_BYTES];

    for (struct fi_info *info = all; info != NULL; info = info->next)
        if ((given || is_named(info, "shm") == shm) &&
            has_domain(info, factory->settings->domain) && ofi_serves(info, writes, why) &&
            (best == NULL || place_of(info) < place_of(best)))
            best = info;
    return best;
}

/* What this rank found does not serve, or is NULL. */
static cb_status explain_choice(const ofi_factory *factory, const transport_bootstrap *bootstrap,
                                const struct fi_info *found, bool writes, bool report)
{
    char why[CB_WHY_BYTES] = "";

    if (found == NULL || ofi_serves(found, writes, why))
        return explain_nothing(factory, bootstrap, writes, report);
    if (report)
        cb_error("libfabric's provider %s cannot serve method=%s: %s; use --parameter "
                 "method=message or another provider",
                 found->fabric_attr->prov_name, writes ? "write" : "message", why);
    return CB_ERROR_UNSUPPORTED;
}

static void prefer(const ofi_factory *factory, const transport_bootstrap *bootstrap,
                   struct fi_info *all, bool writes, preference *mine)
{
    const struct fi_info *best = find(factory, all, writes, false);

    mine->has_shm = find(factory, all, writes, true) != NULL;
    if (best != NULL)
        snprintf(mine->provider, sizeof(mine->provider), "%s", best->fabric_attr->prov_name);
    if (best == NULL && !mine->has_shm)
        mine->status = explain_choice(factory, bootstrap, all, writes, false);
}

static int first_failed(const preference *all, int size)
{
    int rank = 0;

    while (rank < size && all[rank].status == CB_OK)
        rank++;
    return rank;
}

/* The same in all ranks. */
static cb_status settle(const preference *all, int rank, int size, bool *shm)
{
    bool only_shm;
    int other = 0;

    *shm = true;
    for (int i = 0; i < size; i++) {
        *shm =
            *shm && all[i].has_shm && memcmp(&all[i].host, &all[0].host, sizeof(all[0].host)) == 0;
        if (strcmp(all[i].provider, all[0].provider) != 0)
            other = i;
    }
    only_shm = other == 0 && (all[0].provider[0] == '\0' || strcmp(all[0].provider, "shm") == 0);
    if (*shm || (other == 0 && !only_shm))
        return CB_OK;
    if (rank == 0 && only_shm)
        cb_error("libfabric's provider shm connects processes of one host, but the ranks are on "
                 "several; choose another by --parameter provider=NAME, or use another "
                 "--technology");
    else if (rank == 0)
        cb_error("the ranks have no provider of libfabric in common: rank 0 has '%s', rank %d has "
                 "'%s'; choose one by --parameter provider=NAME",
                 all[0].provider, other, all[other].provider);
    return CB_ERROR_UNSUPPORTED;
}

cb_status ofi_choose(ofi_factory *factory, const transport_bootstrap *bootstrap)
{
    const bool writes = factory->settings->method == OFI_METHOD_WRITE;
    const bool given = factory->settings->provider != 0;
    struct fi_info *found = query(make_hints(factory, bootstrap, writes));
    preference mine = {.status = CB_OK}, *all;
    cb_status status;
    bool shm = false;
    int failed;

    identify_host(&mine.host);
    prefer(factory, bootstrap, found, writes, &mine);
    all = cb_allocate((size_t)bootstrap->size, sizeof(*all), "the choice of a provider");
    status = all == NULL ? CB_ERROR_MEMORY
                         : bootstrap->exchange(bootstrap->context, &mine, sizeof(mine), all);
    failed = status == CB_OK ? first_failed(all, bootstrap->size) : bootstrap->size;
    if (failed == bootstrap->rank)
        (void)explain_choice(factory, bootstrap, found, writes, true);
    if (failed < bootstrap->size)
        status = all[failed].status;
    else if (status == CB_OK)
        status = settle(all, bootstrap->rank, bootstrap->size, &shm);
    if (status == CB_OK)
        factory->info = fi_dupinfo(find(factory, found, writes, shm && !given));
    fi_freeinfo(found);
    free(all);
    return status == CB_OK && factory->info == NULL ? CB_ERROR_MEMORY : status;
}
