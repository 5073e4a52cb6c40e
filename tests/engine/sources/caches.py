"""A Hugging Face cache as huggingface_hub leaves it, for tests."""

import hashlib
import os

REVISIONS = ("a" * 40, "b" * 40)


def put(root, repository, folder, revision=REVISIONS[0], ref="main"):
    """Copy a folder's files into the cache: blobs, a snapshot of links, and a ref."""
    place = root / f"models--{repository.replace('/', '--')}"
    snapshot = place / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (place / "blobs").mkdir(exist_ok=True)
    for file in folder.iterdir():
        content = file.read_bytes()
        blob = place / "blobs" / hashlib.sha256(content).hexdigest()
        blob.write_bytes(content)
        (snapshot / file.name).symlink_to(os.path.relpath(blob, snapshot))
    if ref:
        (place / "refs").mkdir(exist_ok=True)
        (place / "refs" / ref).write_text(revision)
    return snapshot
