"""The first end of an episode is its result, whatever comes after."""

from battles.proving_ground.episode import End, Latch


def test_the_first_end_is_kept_and_later_ones_are_only_counted():
    latch = Latch()
    episode = latch.renew()
    latch.take(episode, -1.0, "missed")
    latch.take(episode, 1.0, "")
    assert latch.first == End(-1.0, "missed")
    assert latch.ends == 2


def test_a_new_episode_begins_without_an_end():
    latch = Latch()
    latch.take(latch.renew(), 1.0, "")
    latch.renew()
    assert latch.first is None
    assert latch.ends == 0


def test_an_end_of_an_earlier_episode_comes_too_late():
    latch = Latch()
    earlier = latch.renew()
    latch.renew()
    latch.take(earlier, 1.0, "")
    assert latch.first is None
