"""Proves an exported audit chain with nothing but Python: no database, no packages.

    python -I offline_verifier.py CHAIN.jsonl [HEADS.jsonl ...]

Heads that were published over time prove besides that no tail was cut and nothing
rewritten since. Ends with 0 when all holds, else names what does not and ends with 1.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import TextIO


def verify(lines: TextIO, published: list[dict[str, str]]) -> Iterator[str]:
    """Yield what is wrong with a chain, one sentence each."""
    head = json.loads(next(lines))
    chain, seq, found = head["chain"], 0, {}
    digest = hashlib.sha256(chain.encode("utf-8")).hexdigest()
    for line in lines:
        row = json.loads(line)
        values = json.loads(row["hashed"])
        text = bytes.fromhex(row["previous"]) + row["hashed"].encode("utf-8")
        if hashlib.sha256(text).hexdigest() != row["digest"]:
            yield f"entry {values[2]} was changed"
        if values[1] != chain or values[2] != seq + 1:
            yield f"after entry {seq} comes {values[2]} of {values[1]}"
        elif row["previous"] != digest:
            yield f"entry {values[2]} does not follow the one before"
        seq, digest = values[2], row["digest"]
        found[seq] = digest
    if (seq, digest) != (head["seq"], head["digest"]):
        yield f"the chain ends at {seq}, and its head is not the last entry's"
    for kept in published:
        if kept["chain"] == chain and found.get(kept["seq"]) != kept["digest"]:
            yield f"entry {kept['seq']} is not here as it was published"


def main(path: str, *heads: str) -> int:
    published = []
    for name in heads:
        with open(name, encoding="utf-8") as lines:
            published += [json.loads(line) for line in lines]
    with open(path, encoding="utf-8", newline="\n") as lines:
        faults = list(verify(lines, published))
    sys.stdout.write("\n".join(faults or ["intact"]) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
