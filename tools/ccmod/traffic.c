/* Each kind gives the weights of one row, the shares of the destinations in what a rank sends.
 * Random numbers of a row depend on the seed and the rank only. */
#include "tools/ccmod/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"

typedef struct {
    const traffic_parameters *given;
    size_t ranks;
    size_t grid[TRAFFIC_DIMENSIONS]; /* 1 where there is no dimension */
    size_t *order;                   /* a permutation of the ranks, of the kinds that have one */
    double *weights;                 /* of the current row, 0 at first */
} traffic_maker;

/* A kind. Its public part comes first: a pointer to that is one to the whole. */
typedef struct {
    traffic_kind public;
    /* Check the parameters and fill what all rows share; NULL: nothing to do. */
    ccmod_status (*prepare)(traffic_maker *maker, ccmod_error *error);
    void (*weigh)(const traffic_maker *maker, size_t rank);
} traffic_definition;

static ccmod_status refuse(const char *option, const char *problem, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0, "--%s: %s", option, problem);
}

static cb_random random_of(const traffic_maker *maker, uint64_t stream)
{
    return cb_random_seed(cb_mix64(cb_mix64(maker->given->seed) ^ stream));
}

/* Stream of the random numbers that all rows share; those of rows are their ranks. */
static const uint64_t shared_stream = UINT64_MAX;

static void weigh_uniform(const traffic_maker *maker, size_t rank)
{
    for (size_t i = 0; i < maker->ranks; i++)
        maker->weights[i] = i == rank ? 0 : 1;
}

static ccmod_status prepare_biased(traffic_maker *maker, ccmod_error *error)
{
    return maker->given->hot < maker->ranks
               ? CCMOD_OK
               : refuse("hot", "not fewer than the ranks; use fewer, or more --ranks", error);
}

static void weigh_biased(const traffic_maker *maker, size_t rank)
{
    for (size_t i = 0; i < maker->ranks; i++)
        maker->weights[i] = i < maker->given->hot ? maker->given->factor : 1;
    maker->weights[rank] = 0;
}

static ccmod_status prepare_k_hot(traffic_maker *maker, ccmod_error *error)
{
    return maker->given->degree < maker->ranks
               ? CCMOD_OK
               : refuse("degree", "a rank has fewer others; use less, or more --ranks", error);
}

/* Floyd's sample of `degree` from the other ranks, counted from this one. */
static void weigh_k_hot(const traffic_maker *maker, size_t rank)
{
    cb_random random = random_of(maker, rank);

    for (size_t last = maker->ranks - maker->given->degree; last < maker->ranks; last++) {
        size_t chosen = (rank + 1 + cb_random_below(&random, last)) % maker->ranks;

        if (maker->weights[chosen] > 0)
            chosen = (rank + last) % maker->ranks;
        maker->weights[chosen] = 1;
    }
}

static void shuffle_order(traffic_maker *maker, cb_random *random)
{
    for (size_t i = 0; i < maker->ranks; i++)
        maker->order[i] = i;
    for (size_t i = maker->ranks - 1; i > 0; i--) {
        size_t other = cb_random_below(random, i + 1), kept = maker->order[i];

        maker->order[i] = maker->order[other];
        maker->order[other] = kept;
    }
}

static ccmod_status prepare_zipf(traffic_maker *maker, ccmod_error *error)
{
    cb_random random = random_of(maker, shared_stream);

    (void)error;
    shuffle_order(maker, &random);
    return CCMOD_OK;
}

static void weigh_zipf(const traffic_maker *maker, size_t rank)
{
    for (size_t i = 0; i < maker->ranks; i++)
        maker->weights[i] = pow((double)(maker->order[i] + 1), -maker->given->exponent);
    maker->weights[rank] = 0;
}

static void weigh_sparse(const traffic_maker *maker, size_t rank)
{
    cb_random random = random_of(maker, rank);

    for (size_t i = 0; i < maker->ranks; i++)
        maker->weights[i] = cb_random_unit(&random) < maker->given->density ? 1 : 0;
    maker->weights[rank] = 0;
}

static bool has_fixed_rank(const traffic_maker *maker)
{
    for (size_t i = 0; i < maker->ranks; i++) {
        if (maker->order[i] == i)
            return true;
    }
    return false;
}

/* Of all permutations, more than a third move every rank. */
static ccmod_status prepare_permutation(traffic_maker *maker, ccmod_error *error)
{
    cb_random random = random_of(maker, shared_stream);

    (void)error;
    do
        shuffle_order(maker, &random);
    while (has_fixed_rank(maker));
    return CCMOD_OK;
}

static void weigh_permutation(const traffic_maker *maker, size_t rank)
{
    maker->weights[maker->order[rank]] = 1;
}

static ccmod_status prepare_incast(traffic_maker *maker, ccmod_error *error)
{
    return maker->given->senders < maker->ranks
               ? CCMOD_OK
               : refuse("senders", "not fewer than the ranks; use fewer, or more --ranks", error);
}

static void weigh_incast(const traffic_maker *maker, size_t rank)
{
    const size_t senders = maker->given->senders > 0 ? maker->given->senders : maker->ranks - 1;

    maker->weights[0] = rank > 0 && rank <= senders ? 1 : 0;
}

static void weigh_ring(const traffic_maker *maker, size_t rank)
{
    maker->weights[(rank + 1) % maker->ranks] = 1;
}

static ccmod_status parse_grid(traffic_maker *maker, ccmod_error *error)
{
    char text[64], *rest = text, why[CB_WHY_BYTES];
    size_t dimensions = 0, product = 1;

    if (strlen(maker->given->grid) >= sizeof(text))
        return refuse("grid", "too long; write numbers as 4x4x4", error);
    strcpy(text, maker->given->grid);
    while (rest != NULL) {
        uint64_t extent;

        if (dimensions == TRAFFIC_DIMENSIONS)
            return refuse("grid", "more than three dimensions; write numbers as 4x4x4", error);
        if (!cb_parse_count(strsep(&rest, "x"), 1, MATRIX_LARGEST_RANKS, &extent, why))
            return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                              "--grid '%s': %s; write numbers as 4x4x4", maker->given->grid, why);
        maker->grid[dimensions++] = extent;
        product *= extent;
    }
    return product == maker->ranks
               ? CCMOD_OK
               : ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                            "--grid '%s' has %zu ranks, but --ranks is %zu; make both equal",
                            maker->given->grid, product, maker->ranks);
}

static ccmod_status prepare_halo(traffic_maker *maker, ccmod_error *error)
{
    size_t lower = (size_t)sqrt((double)maker->ranks);

    for (size_t i = 0; i < TRAFFIC_DIMENSIONS; i++)
        maker->grid[i] = 1;
    if (maker->given->grid != NULL)
        return parse_grid(maker, error);
    while (maker->ranks % lower != 0)
        lower--;
    maker->grid[0] = maker->ranks / lower;
    maker->grid[1] = lower;
    return CCMOD_OK;
}

/* Both neighbours in each dimension of the periodic grid, whose last dimension varies fastest; of
 * two ranks in a dimension each is the other's neighbour on both sides. */
static void weigh_halo(const traffic_maker *maker, size_t rank)
{
    size_t stride = maker->ranks;

    for (size_t i = 0; i < TRAFFIC_DIMENSIONS; i++) {
        const size_t extent = maker->grid[i];
        size_t first, at;

        stride /= extent;
        at = rank / stride % extent;
        first = rank - at * stride;
        if (extent == 1)
            continue;
        maker->weights[first + (at + 1) % extent * stride]++;
        maker->weights[first + (at + extent - 1) % extent * stride]++;
    }
}

/* Kinds */

/* clang-format off */
static const traffic_definition
    uniform = {{"uniform", "every rank to every other one, the same", TRAFFIC_SIZES},
               NULL, weigh_uniform},
    biased = {{"biased", "uniform, but the first --hot ranks get --factor times as much",
               TRAFFIC_SIZES | TRAFFIC_HOT},
              prepare_biased, weigh_biased},
    k_hot = {{"k-hot", "every rank to --degree others that it draws, as tokens go to experts",
              TRAFFIC_SIZES | TRAFFIC_DEGREE | TRAFFIC_SEED},
             prepare_k_hot, weigh_k_hot},
    zipf = {{"zipf", "to every other rank by its place P among the ranks, which is drawn: 1 / P^--exponent",
             TRAFFIC_SIZES | TRAFFIC_EXPONENT | TRAFFIC_SEED},
            prepare_zipf, weigh_zipf},
    sparse = {{"sparse", "each pair communicates with probability --density",
               TRAFFIC_SIZES | TRAFFIC_DENSITY | TRAFFIC_SEED},
              NULL, weigh_sparse},
    permutation = {{"permutation", "every rank to one other, each of which receives from one",
                    TRAFFIC_SIZES | TRAFFIC_SEED},
                   prepare_permutation, weigh_permutation},
    incast = {{"incast", "ranks 1 to --senders (default all others) to rank 0",
               TRAFFIC_SIZES | TRAFFIC_SENDERS},
              prepare_incast, weigh_incast},
    ring = {{"ring", "every rank to the next one", TRAFFIC_SIZES}, NULL, weigh_ring},
    halo = {{"halo", "every rank to its neighbours in a periodic --grid", TRAFFIC_SIZES | TRAFFIC_GRID},
            prepare_halo, weigh_halo},
    file = {{"file", "the matrix in --input", TRAFFIC_INPUT}, NULL, NULL};
/* clang-format on */

const traffic_kind *const traffic_kinds[] = {
    &uniform.public,     &biased.public, &k_hot.public,
    &zipf.public,        &sparse.public, &incast.public,
    &permutation.public, &ring.public,   &halo.public,
    &file.public,        NULL,
};

const traffic_kind *traffic_find(const char *name)
{
    size_t i = 0;

    while (traffic_kinds[i] != NULL && strcmp(traffic_kinds[i]->name, name) != 0)
        i++;
    return traffic_kinds[i];
}

/* Bytes */

/* A destination, and how much of its share was cut off. */
typedef struct {
    size_t distance;
    double rest;
} rounded_share;

static int by_rest(const void *left, const void *right)
{
    const rounded_share *a = left, *b = right;

    if (a->rest < b->rest || a->rest > b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

static double sum_of(const double *weights, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    return sum;
}

/* Divide `total` by the weights: rounded down, and what is left, a byte each, to the largest
 * remainders; of equal ones to the nearest, so that all rows do the same. */
static void divide_row(const traffic_maker *maker, size_t rank, uint64_t total,
                       rounded_share *shares, uint64_t *row)
{
    const double sum = sum_of(maker->weights, maker->ranks);
    uint64_t left = total;
    size_t count = 0;

    for (size_t distance = 1; distance < maker->ranks; distance++) {
        const size_t to = (rank + distance) % maker->ranks;
        double share;

        if (!(maker->weights[to] > 0))
            continue;
        share = (double)total * maker->weights[to] / sum;
        row[to] = (uint64_t)share;
        left -= row[to];
        shares[count++] = (rounded_share){distance, share - floor(share)};
    }
    qsort(shares, count, sizeof(*shares), by_rest);
    for (size_t i = 0; i < left && i < count; i++)
        row[(rank + shares[i].distance) % maker->ranks]++;
}

static void weigh_row(const traffic_definition *kind, const traffic_maker *maker, size_t rank)
{
    memset(maker->weights, 0, maker->ranks * sizeof(*maker->weights));
    kind->weigh(maker, rank);
}

/* The mean of the weights that are not 0; 0 if there is none. */
static double mean_weight(const traffic_definition *kind, const traffic_maker *maker)
{
    double sum = 0;
    uint64_t pairs = 0;

    for (size_t rank = 0; rank < maker->ranks; rank++) {
        weigh_row(kind, maker, rank);
        sum += sum_of(maker->weights, maker->ranks);
        for (size_t i = 0; i < maker->ranks; i++)
            pairs += maker->weights[i] > 0;
    }
    return pairs > 0 ? sum / (double)pairs : 0;
}

static void fill_pairs(const traffic_definition *kind, const traffic_maker *maker,
                       byte_matrix *matrix)
{
    const double mean = mean_weight(kind, maker);

    for (size_t rank = 0; rank < maker->ranks && mean > 0; rank++) {
        weigh_row(kind, maker, rank);
        for (size_t i = 0; i < maker->ranks; i++)
            matrix->bytes[rank * maker->ranks + i] =
                (uint64_t)llround((double)maker->given->pair_bytes * maker->weights[i] / mean);
    }
}

static void fill_ranks(const traffic_definition *kind, const traffic_maker *maker,
                       rounded_share *shares, byte_matrix *matrix)
{
    for (size_t rank = 0; rank < maker->ranks; rank++) {
        weigh_row(kind, maker, rank);
        divide_row(maker, rank, maker->given->bytes, shares, matrix->bytes + rank * maker->ranks);
    }
}

static ccmod_status fill(const traffic_definition *kind, traffic_maker *maker, byte_matrix *matrix,
                         ccmod_error *error)
{
    rounded_share *shares = calloc(maker->ranks, sizeof(*shares));
    ccmod_status status = CCMOD_OK;

    maker->order = calloc(maker->ranks, sizeof(*maker->order));
    maker->weights = calloc(maker->ranks, sizeof(*maker->weights));
    if (shares == NULL || maker->order == NULL || maker->weights == NULL)
        status = ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                            "out of memory for the shares of %zu ranks; use fewer", maker->ranks);
    if (status == CCMOD_OK && kind->prepare != NULL)
        status = kind->prepare(maker, error);
    if (status == CCMOD_OK && maker->given->pair_bytes > 0)
        fill_pairs(kind, maker, matrix);
    else if (status == CCMOD_OK)
        fill_ranks(kind, maker, shares, matrix);
    free(maker->weights);
    free(maker->order);
    free(shares);
    return status;
}

ccmod_status traffic_make(const traffic_kind *which, const traffic_parameters *parameters,
                          byte_matrix *out, ccmod_error *error)
{
    const traffic_definition *kind = (const traffic_definition *)which;
    traffic_maker maker = {.given = parameters, .ranks = parameters->ranks};
    ccmod_status status;

    if ((which->parameters & TRAFFIC_INPUT) != 0)
        return matrix_open(parameters->input, out, error);
    CCMOD_TRY(matrix_make(which->name, maker.ranks, out, error));
    status = fill(kind, &maker, out, error);
    if (status != CCMOD_OK)
        matrix_free(out);
    return status;
}

static double balance_of(const double *sums, size_t count)
{
    double largest = 0, sum = sum_of(sums, count);

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, sums[i]);
    return largest > 0 ? sum / (double)count / largest : 1;
}

traffic_summary traffic_summarise(const byte_matrix *matrix)
{
    double sums[2][MATRIX_LARGEST_RANKS] = {{0}};

    for (size_t i = 0; i < matrix->ranks; i++) {
        for (size_t k = 0; k < matrix->ranks; k++) {
            sums[0][i] += (double)matrix_at(matrix, i, k);
            sums[1][k] += (double)matrix_at(matrix, i, k);
        }
    }
    return (traffic_summary){sum_of(sums[0], matrix->ranks), balance_of(sums[0], matrix->ranks),
                             balance_of(sums[1], matrix->ranks)};
}
