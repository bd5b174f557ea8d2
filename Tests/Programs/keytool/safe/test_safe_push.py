"""safe push: when it uploads, and what it uploads."""

import base64
import time
import datetime
import re

import pytest

from kit import oracle
from kit.runner import snapshot
from kit.stages.edit import edit

DAY = datetime.timedelta(days=1)


def moment(text):
    assert text.endswith("Z")
    return datetime.datetime.fromisoformat(text)


def test_first_push(safe):
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    done = safe.push()
    assert done["command"] == "safe push"
    assert (done["id"], done["result"], done["attempts"]) == ("ABCD1234", "uploaded", 1)
    assert done["server"]["max_backup_bytes"] == 524288
    assert done["server"]["retention_days"] == 180
    assert "host" in done["server"]
    backup = done["backup"]
    assert backup["bytes"] == len(safe.blob)
    assert backup["verified"] is True
    assert backup["generation"] >= 1
    uploaded = moment(backup["uploaded_at"])
    assert start <= uploaded <= start + datetime.timedelta(minutes=1)
    assert moment(backup["expires_at"]) == uploaded + 180 * DAY
    assert moment(done["next"]["refresh_after"]) == uploaded + 90 * DAY


def test_push_in_words(safe):
    result = safe.keytool.ok("safe", "push")
    assert "uploaded" in result.out and "verified" in result.out
    assert safe.keys.backup_id not in result.out + result.err
    assert "unchanged" in safe.keytool.ok("safe", "push").out


def test_oracle_opens_what_was_pushed(safe):
    generation = safe.push()["backup"]["generation"]
    assert safe.directory.names() == [safe.keys.backup_id]
    document = safe.document
    assert document["info"]["version"] == 1
    assert isinstance(document["settings"]["syncContacts"], bool)
    assert document["keytool"]["generation"] == generation
    assert abs(document["keytool"]["written_at"] / 1000 - time.time()) < 60
    key = base64.b64decode(document["user"]["privatekey"], validate=True)
    assert oracle.Identity("ABCD1234", key).public_key == (
        safe.keytool.json("id", "show")["public_key"])


def test_gzip_container_leaks_no_compression_ratio(safe):
    safe.push()
    plain = oracle.open_box(safe.blob, safe.keys)
    assert plain[:10] == bytes.fromhex("1f8b0800000000000000"), "no time, no system"
    assert plain[10] & 0b110 == 0, "a stored block"
    assert len(plain) == len(oracle.open_safe_text(safe.blob, safe.keys)) + 10 + 5 + 8


def test_every_upload_has_its_own_nonce(safe):
    nonces = []
    for _ in range(3):
        safe.push("--force")
        nonces.append(safe.blob[:24])
    assert len(set(nonces)) == 3


def test_unchanged_needs_no_network(safe):
    safe.push()
    before = safe.blob
    assert safe.push()["result"] == "unchanged"
    assert safe.blob == before
    safe.directory.go_away()
    assert safe.push()["result"] == "unchanged"


def test_force_uploads_and_counts_on(safe):
    first = safe.push()["backup"]["generation"]
    again = safe.push("--force")
    assert again["result"] == "uploaded"
    assert again["backup"]["generation"] == first + 1 == safe.document["keytool"]["generation"]


@pytest.fixture
def changed(safe):
    """Pushed just now, then given other contacts."""
    safe.push()
    edit(safe, "ECHOECHO")
    return safe


def test_changed_content_is_deferred_for_23_hours(changed):
    before = changed.blob
    assert changed.push()["result"] == "deferred"
    result = changed.keytool.ok("safe", "push")
    assert "deferred" in result.out and re.search(r"\d\d:\d\d", result.out), "says until when"
    changed.directory.go_away()
    assert changed.push()["result"] == "deferred", "no network"
    changed.directory.come_back()
    assert changed.blob == before


def test_changed_content_is_uploaded_by_force(changed):
    assert changed.push("--force")["result"] == "uploaded"
    assert [one["identity"] for one in changed.document["contacts"]] == ["ECHOECHO"]
    assert changed.push()["result"] == "unchanged"


def test_changed_content_is_not_lost_by_a_pull(changed):
    before = snapshot(changed.keytool.keystore)
    changed.keytool.fails(17, "safe", "pull")
    assert snapshot(changed.keytool.keystore) == before
    changed.keytool.ok("safe", "pull", "--replace")
    assert changed.push()["result"] == "unchanged"


def test_directory_away_and_back(safe):
    safe.push()
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--force")
    assert not safe.directory.path.exists(), "nothing is made in place of a missing mount"
    safe.directory.come_back()
    # unchanged, but the last push failed
    assert safe.push()["result"] == "uploaded"
    assert safe.push()["result"] == "unchanged"


def test_directory_is_there_but_empty(safe):
    safe.directory.config.unlink()
    before = snapshot(safe.directory.path)
    safe.keytool.fails(15, "safe", "push")
    assert snapshot(safe.directory.path) == before


def test_larger_than_the_server_takes(safe):
    safe.directory.prepare(max_backup_bytes=100)
    safe.keytool.fails(14, "safe", "push")
    assert safe.directory.names() == []
    safe.directory.prepare()
    assert safe.push()["result"] == "uploaded"


def test_size_at_the_limit(safe):
    size = safe.push()["backup"]["bytes"]
    # the same generation digits and time stamp length: the same size
    safe.directory.prepare(max_backup_bytes=size)
    assert safe.push("--force")["backup"]["bytes"] == size
    safe.directory.prepare(max_backup_bytes=size - 1)
    safe.keytool.fails(14, "safe", "push", "--force")


@pytest.mark.parametrize("days, effective", [
    (0, 180), (-1, 180), (3651, 180), (1, 1), (3650, 3650)])
def test_retention_clamp(safe, days, effective):
    safe.directory.prepare(retention_days=days)
    backup = safe.push()["backup"]
    assert moment(backup["expires_at"]) - moment(backup["uploaded_at"]) == effective * DAY


def test_state_file_that_does_not_parse_counts_as_never_uploaded(safe):
    safe.push()
    state = safe.record("state.json")
    for content in (b"", b"{", b"null", b"\0" * 100, b"[" * 100_000, b'{"last_upload":"x"}'):
        state.write_bytes(content)
        assert safe.push()["result"] == "uploaded"
        assert safe.push()["result"] == "unchanged"
    state.unlink()
    assert safe.push()["result"] == "uploaded"


def test_state_names_neither_server_nor_backup(safe):
    safe.push()
    state = safe.record("state.json").read_text()
    assert safe.keys.backup_id not in state
    assert str(safe.directory.path) not in state and "file:" not in state


def test_pushes_leave_no_temporary_files(safe):
    for _ in range(3):
        safe.push("--force")
    assert sorted(path.name for path in safe.directory.path.iterdir()) == ["backups", "config"]
    assert safe.directory.names() == [safe.keys.backup_id]


def test_quiet_push_is_silent(safe):
    for options in (["-q"], ["--quiet"], ["-q", "--force"]):
        result = safe.keytool.ok("safe", "push", *options)
        assert result.out == result.err == ""


def test_push_needs_no_secret(safe):
    assert safe.keytool.json("safe", "push", "--no-input")["result"] == "uploaded"


def test_push_of_one_of_several(safe):
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    safe.keytool.fails(64, "safe", "push")
    assert safe.push("ABCD1234")["result"] == "uploaded"
    safe.keytool.fails(10, "safe", "push", "ZZZZ9999")
