/* Rounds of disjoint pairs, for odd and even numbers of hosts; random bisections. */
#include "linkmap/rounds.h"

#include <string.h>

#include "tests/common/unit.h"

enum { HOSTS_MOST = 65 };

START_TEST(each_pair_meets_exactly_once)
{
    for (size_t hosts = 2; hosts <= HOSTS_MOST; hosts++) {
        unsigned met[HOSTS_MOST][HOSTS_MOST];

        memset(met, 0, sizeof(met));
        for (size_t round = 0; round < rounds_count(hosts); round++)
            for (size_t one = 0; one < hosts; one++)
                met[one][rounds_partner(hosts, round, one)]++;
        for (size_t one = 0; one < hosts; one++)
            for (size_t other = 0; other < hosts; other++)
                if (one != other)
                    ck_assert_msg(met[one][other] == 1, "of %zu hosts, %zu met %zu %u times", hosts,
                                  one, other, met[one][other]);
    }
}
END_TEST

START_TEST(pairs_of_a_round_are_disjoint)
{
    for (size_t hosts = 2; hosts <= HOSTS_MOST; hosts++)
        for (size_t round = 0; round < rounds_count(hosts); round++) {
            size_t idle = 0;

            for (size_t one = 0; one < hosts; one++) {
                const size_t partner = rounds_partner(hosts, round, one);

                ck_assert_uint_lt(partner, hosts);
                ck_assert_uint_eq(rounds_partner(hosts, round, partner), one);
                idle += partner == one;
            }
            ck_assert_uint_eq(idle, hosts % 2);
        }
}
END_TEST

START_TEST(there_are_no_more_rounds_than_needed)
{
    ck_assert_uint_eq(rounds_count(1), 0);
    ck_assert_uint_eq(rounds_count(2), 1);
    ck_assert_uint_eq(rounds_count(7), 7);
    ck_assert_uint_eq(rounds_count(64), 63);
}
END_TEST

START_TEST(a_bisection_pairs_all_hosts_but_an_odd_one)
{
    size_t order[HOSTS_MOST];

    for (size_t hosts = 2; hosts <= HOSTS_MOST; hosts++)
        for (uint64_t number = 0; number < 5; number++) {
            size_t senders = 0, idle = 0;

            rounds_bisect(hosts, 7, number, order);
            for (size_t one = 0; one < hosts; one++) {
                bool sends, other_sends;
                const size_t partner = rounds_opposite(order, hosts, one, &sends);

                ck_assert_uint_eq(rounds_opposite(order, hosts, partner, &other_sends), one);
                ck_assert(partner == one || sends != other_sends);
                idle += partner == one;
                senders += sends;
            }
            ck_assert_uint_eq(idle, hosts % 2);
            ck_assert_uint_eq(senders, hosts / 2);
        }
}
END_TEST

START_TEST(bisections_follow_from_their_seed_and_number)
{
    size_t one[HOSTS_MOST], other[HOSTS_MOST];

    rounds_bisect(HOSTS_MOST, 7, 3, one);
    rounds_bisect(HOSTS_MOST, 7, 3, other);
    ck_assert_mem_eq(one, other, sizeof(one));
    rounds_bisect(HOSTS_MOST, 7, 4, other);
    ck_assert_mem_ne(one, other, sizeof(one));
    rounds_bisect(HOSTS_MOST, 8, 3, other);
    ck_assert_mem_ne(one, other, sizeof(one));
}
END_TEST

UNIT_MAIN("rounds", each_pair_meets_exactly_once, pairs_of_a_round_are_disjoint,
          there_are_no_more_rounds_than_needed, a_bisection_pairs_all_hosts_but_an_odd_one,
          bisections_follow_from_their_seed_and_number)
