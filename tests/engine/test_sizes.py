import pytest

from engine.messages import in_bytes


@pytest.mark.parametrize(
    ("count", "written"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (98_362_432, "93.8 MiB"),
        (3 * 2**30, "3.0 GiB"),
        (5000 * 2**30, "5,000.0 GiB"),
    ],
)
def test_bytes_are_written_in_the_largest_unit_they_fill(count, written):
    assert in_bytes(count) == written
