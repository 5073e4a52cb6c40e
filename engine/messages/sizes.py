"""Sizes in memory and on the disk, as every sentence writes them."""


def in_bytes(count: int) -> str:
    """Return a number of bytes in the largest unit of which it has one."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"
