"""The moments of the blows: at random, but over all of the work."""

from collections import Counter

from memsys.chaos.blows import Blow, plan_blows


def test_it_plans_as_many_as_were_asked_for() -> None:
    blows = plan_blows(kills=30, wipes=2, seed=1)

    assert Counter(one.kind for one in blows) == {Blow.KILL: 30, Blow.WIPE: 2}


def test_it_spreads_them_over_the_work_and_leaves_some_to_do() -> None:
    shares = [one.share for one in plan_blows(kills=30, wipes=0, seed=1)]

    assert shares == sorted(shares)
    assert [int(share / 0.97 * 30) for share in shares] == list(range(30))
    assert max(shares) < 0.97


def test_it_plans_other_moments_for_another_seed() -> None:
    one, again, other = (plan_blows(kills=3, wipes=1, seed=s) for s in (1, 1, 2))

    assert one == again != other


def test_it_plans_nothing_when_nothing_is_to_happen() -> None:
    assert plan_blows(kills=0, wipes=0, seed=1) == []
