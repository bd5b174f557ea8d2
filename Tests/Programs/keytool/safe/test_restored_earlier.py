"""After safe pull --from: what is known of the place stays, so that alarms tell the truth."""


def restored(safe):
    """Pushed twice; the first one was restored."""
    safe.push()
    safe.keytool.ok("contact", "add", "CONTACTB", "22" * 32)
    safe.push("--force")
    safe.keytool.ok("safe", "pull", "--from", "1")


def test_status_does_not_call_it_deleted(safe):
    restored(safe)
    safe.keytool.ok("safe", "status", "--max-age", "8d")
    shown = safe.keytool.json("safe", "status")
    assert shown["changed"] is True and shown["uploaded_at"] and shown["seen_at"] and shown["expires_at"]
    assert "deleted" not in safe.keytool.ok("safe", "status").out
    assert safe.push()["result"] == "uploaded"
    assert safe.document["contacts"] == []


def test_a_failure_is_tolerated(safe):
    restored(safe)
    safe.directory.go_away()
    safe.keytool.ok("safe", "push", "--tolerate", "3d")


def test_the_newest_profile_stays_if_the_server_has_lost_it(safe, tmp_path):
    """Nobody else has it: what a mirror stored before is older."""
    safe.push()
    safe.keytool.ok("safe", "mirror")
    older = tmp_path / "older.json"
    safe.keytool.ok("profile", "export", "--output", older)
    safe.keytool.ok("contact", "add", "CONTACTB", "22" * 32)
    safe.push("--force")
    safe.directory.backup(safe.keys).unlink()
    failed = safe.keytool.fails(10, "safe", "mirror")
    assert failed.err.index(f"keytool safe push {safe.id}") < failed.err.index("--from N")
    for command in (["safe", "pull", "--from", "1"], ["profile", "import", older]):
        assert "changes that are not in a backup" in safe.keytool.fails(17, *command).err
    assert safe.push()["result"] == "restored"
    assert [each["identity"] for each in safe.document["contacts"]] == ["CONTACTB"]
    safe.keytool.ok("safe", "pull", "--from", "1")
