"""Computes the vectors of SophaxChat's groups: distributions as JSON, and what a program stores of a group.

Python's json, hashlib and hmac, and OpenSSL (Python's cryptography). Inputs and results are hexadecimal, text and
numbers.
"""

import base64
import hashlib
import hmac
import json
import re
import struct

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

H = bytes.fromhex


def b64(data):
    return base64.b64encode(data).decode()


def short(data):
    return bytes([len(data)]) + data


# Distributions


def distribution_encode(group, chain_id, generation, chain_key, iteration, transcript):
    return {"text": json.dumps(
        {"v": 3, "groupID": group, "chainKey": b64(H(chain_key)), "iteration": iteration, "chainID": b64(H(chain_id)),
         "generation": generation, "transcript": b64(H(transcript))},
        sort_keys=True, separators=(",", ":"), ensure_ascii=False)}


def unique(pairs):
    """The members of an object, without null."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return {name: value for name, value in pairs if value is not None}


def number(value, limit):
    """An integer as the format spells it."""
    if type(value) is not int or not 0 <= value < limit:
        raise ValueError
    return value


def data(value, count):
    decoded = base64.b64decode(value.encode(), validate=True)
    if len(decoded) != count:
        raise ValueError
    return decoded


def distribution_decode(text):
    """`form` is `3`, `old`, or `none` for what has to be refused."""
    try:
        value = json.loads(text, object_pairs_hook=unique)
        found = {"group": value["groupID"], "chain_key": data(value["chainKey"], 32).hex(),
                 "iteration": number(value["iteration"], 1 << 32)}
        if not isinstance(found["group"], str) or not 1 <= len(found["group"].encode()) <= 255:
            raise ValueError
        if "v" not in value:
            return {"form": "old", **found}
        if number(value["v"], 1 << 32) != 3:
            raise ValueError
        return {"form": "3", **found, "chain_id": data(value["chainID"], 16).hex(),
                "generation": number(value["generation"], 1 << 32), "transcript": data(value["transcript"], 32).hex()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {"form": "none"}


# What is stored


def walk(key, steps):
    keys = []
    for _ in range(steps):
        keys.append(hmac.digest(key, b"\1", "sha256"))
        key = hmac.digest(key, b"\2", "sha256")
    return keys, key


def start(chain):
    return hashlib.sha256(b"SophaxChat_Transcript_v3" + chain).digest()


def seal(group, sender, chain, generation, number, previous, key, text):
    """The box of a body; its nonce is the number, twelve times."""
    place = (b"SophaxChat_Group_v3" + short(group) + short(sender) + chain + struct.pack(">II", generation, number)
             + previous)
    nonce = bytes([number]) * 12
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, text, place)


def transcript(next, past, ahead):
    """`ahead`: {number: (hash before it, hash after it)}"""
    record = struct.pack(">IBH", next, 0, len(past)) + b"".join(past) + struct.pack(">H", len(ahead))
    return record + b"".join(struct.pack(">I", number) + b"".join(ahead[number]) for number in sorted(ahead))


def group_record(group, own, members, own_chain_id, own_chain_key, own_first, holders, sender, chain_id, chain_key,
                 received, time, proved):
    """One member has given its chain, of generation 0; some of its messages `n` have been received, in version 3."""
    name, own, sender = group.encode(), own.encode(), sender.encode()
    others = sorted(member.encode() for member in members.split(",") if member.encode() != own)
    numbers = [int(number) for number in received.split(",")]
    keys, chain = walk(H(chain_key), max(numbers) + 1)
    hashes, boxes = [start(H(chain_id))], []
    for number, key in enumerate(keys):
        boxes.append(seal(name, sender, H(chain_id), 0, number, hashes[-1], key,
                          content(f"text {number}".encode()).encode()))
        hashes.append(hashlib.sha256(hashes[-1] + boxes[-1]).digest())
    missing = [number for number in range(len(keys)) if number not in numbers]
    next = min([*missing, len(keys)])

    chains = own_side(own, others, own_chain_id, own_chain_key, own_first, holders, time)
    chains += struct.pack("<HHB", 1, others.index(sender), 1)
    chains += H(chain_id) + struct.pack("<IB", 0, 1) + chain + struct.pack("<I", len(keys)) + skipped(keys, missing, time)

    record = head(name, {peer: 2 if peer == sender else 1 for peer in proved.encode().split(b",")}, chains)
    record += b"\1" + H(own_chain_id) + transcript(own_first, [start(H(own_chain_id))], {})
    record += transcript(next, hashes[:next + 1], {
        number: (hashes[number], hashes[number + 1]) for number in numbers if number > next})
    return {"boxes": ",".join(box.hex() for box in boxes), "record": record.hex(),
            "sha256": hashlib.sha256(record).hexdigest()}


def own_side(own, others, chain_id, chain_key, first, holders, time, sent=0):
    """The chains up to those of other members, little endian. `sent` messages were sealed on the own one."""
    places = [others.index(holder.encode()) for holder in sorted(holders.split(","))]
    chains = b"\1" + short(own) + struct.pack("<H", len(others)) + b"".join(map(short, others))
    chains += struct.pack("<BI", 1, 0) + b"\1" + H(chain_id) + walk(H(chain_key), sent)[1]
    chains += struct.pack("<IIIq", first + sent, first, 0, time)
    return chains + struct.pack(f"<H{len(places)}H", len(places), *places)


def skipped(keys, missing, time):
    table = struct.pack("<H", len(missing)) + b"".join(struct.pack("<Iq", number, time) for number in missing)
    return table + b"".join(keys[number] for number in missing)


def head(name, proofs, chains):
    """The record up to the own chain's transcript. `proofs`: {peer: 1 it has given a chain, 2 it has sealed, too}"""
    record = b"\1" + short(name) + struct.pack(">H", len(proofs))
    record += b"".join(short(peer) + bytes([proofs[peer]]) for peer in sorted(proofs))
    return record + struct.pack(">I", len(chains)) + chains


# What is in a body's box


def content(body, heads=()):
    value = {"body": b64(body), "heads": [
        {"member": member, "chainID": b64(H(chain)), "iteration": iteration, "hash": b64(H(hash))}
        for member, chain, iteration, hash in heads]}
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def content_encode(body, heads):
    """`heads`: a list of [member, chain ID, iteration, hash], as JSON"""
    return {"text": content(body.encode(), json.loads(heads))}


def content_decode(text):
    """`form` is `content`, or `none` for what has to be refused. `heads`: as members of what is encoded"""
    try:
        value = json.loads(text, object_pairs_hook=unique)
        body, heads = base64.b64decode(value["body"].encode(), validate=True), value["heads"]
        if type(heads) is not list or len(heads) > 100:
            raise ValueError
        found = []
        for head in heads:
            if not re.fullmatch("[0-9a-f]{32}|[0-9a-f]{16}", head["member"]):
                raise ValueError
            found.append([head["member"], data(head["chainID"], 16).hex(), str(number(head["iteration"], 1 << 32)),
                          data(head["hash"], 32).hex()])
        return {"form": "content", "body": body.hex(), "heads": ",".join(map(":".join, found))}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {"form": "none"}


# The old form


def old_message(group, sender, username, id, time, iteration, key, body, attachment, type, expires, reply):
    """A message on a chain that begins at 0 with this key; nonces are the iteration, and 255 less it. `-` is none."""
    mk = walk(H(key), iteration + 1)[0][iteration]

    def box(nonce, text):
        return bytes([nonce]) * 12 + ChaCha20Poly1305(mk).encrypt(bytes([nonce]) * 12, text, None)

    value = {"groupID": group, "messageID": id, "senderPeerID": sender, "senderUsername": username, "timestamp": time,
             "ciphertext": b64(box(iteration, body.encode())), "senderKeyIteration": iteration}
    if attachment != "-":
        value["attachmentCiphertext"] = b64(box(255 - iteration, H(attachment)))
    value.update({name: given for name, given in (("attachmentMimeType", type), ("replyToID", reply)) if given != "-"})
    if expires >= 0:
        value["expiresAt"] = expires
    return {"text": json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)}


def old_group_record(group, own, members, own_chain_id, own_chain_key, own_first, sealed, sender, ids, chains, received,
                     time, closed=None):
    """A mixed group: nobody has proved version 3. One member has given some chains, each at 0; of each some messages
    were received. This side has given its chain to all and sealed these boxes in the old form.

    With `closed`, the chains are of form 2: it names chains by member, key at 0, and where each stood when it was
    closed. Without it, they are of form 1, which does not say whether they have names."""
    own, sender = own.encode(), sender.encode()
    others = sorted(member.encode() for member in members.split(",") if member.encode() != own)
    boxes = [H(box) for box in sealed.split(",")]
    sides = own_side(own, others, own_chain_id, own_chain_key, own_first, ",".join(other.decode() for other in others),
                     time, len(boxes))
    given = list(zip(ids.split(","), chains.split(","), received.split(";"), strict=True))
    sides += struct.pack("<HHB", 1, others.index(sender), len(given))
    for generation, (id, key, some) in enumerate(given):
        numbers = [int(number) for number in some.split(",") if number]
        keys, chain = walk(H(key), max(numbers, default=-1) + 1)
        replaced = generation < len(given) - 1
        naming = 0 if closed is None else 8
        sides += H(id) + struct.pack("<IB", generation, (3 if replaced else 1) + naming) + chain + struct.pack("<I", len(keys))
        sides += struct.pack("<q", time) if replaced else b""
        sides += skipped(keys, [number for number in range(len(keys)) if number not in numbers], time)
    if closed is not None:
        places = [place.split(":") for place in closed.split(",") if place]
        sides = b"\2" + sides[1:] + struct.pack("<H", len(places))
        for member, key, stood in places:
            sides += struct.pack("<HI", others.index(member.encode()), int(stood))
            sides += hashlib.sha256(walk(H(key), int(stood))[1]).digest()
    hashes = [start(H(own_chain_id))]
    for box in boxes:
        hashes.append(hashlib.sha256(hashes[-1] + box).digest())
    record = head(group.encode(), {}, sides)
    record += b"\2" + H(own_chain_id) + transcript(own_first + len(boxes), hashes, {})
    return {"record": record.hex()}


def compute(vector):
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"])
