"""Buckets, and the ids that carry them."""

import hashlib
import time
import uuid

import pytest

from memsys.kernel.sharding.ids import bucket_of, bucket_of_user, new_id


def test_it_takes_the_first_twelve_bits_of_the_digest_of_the_external_id():
    digest = hashlib.sha256("用户-1".encode()).hexdigest()

    bucket = bucket_of_user("用户-1")

    assert bucket == int(digest[:3], 16)


@pytest.mark.parametrize("bucket", [0, 1, 2741, 4095])
def test_it_carries_the_bucket_in_the_low_bits_of_an_id(bucket: int):
    made = new_id(bucket=bucket)

    assert bucket_of(made) == bucket
    assert int(str(made)[-3:], 16) == bucket


@pytest.mark.parametrize("bucket", [None, 0, 4095])
def test_it_makes_ids_of_version_seven(bucket: int | None):
    made = new_id(bucket=bucket)

    assert made.version == 7
    assert made.variant == uuid.RFC_4122


def test_it_makes_ids_that_sort_by_their_time():
    early = new_id(bucket=4095)
    time.sleep(0.002)

    late = new_id(bucket=0)

    assert early < late


def test_it_writes_the_time_of_now_into_an_id():
    before = time.time_ns() // 1_000_000

    made = new_id(bucket=9)

    after = time.time_ns() // 1_000_000
    assert before <= made.int >> 80 <= after


def test_it_never_makes_an_id_twice():
    made = {new_id(bucket=7) for _ in range(10_000)}

    assert len(made) == 10_000


def test_it_spreads_ids_without_a_bucket_over_all_buckets():
    buckets = {bucket_of(new_id()) for _ in range(10_000)}

    assert len(buckets) > 3000
