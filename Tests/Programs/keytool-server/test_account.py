"""keytool-server account: the file of accounts, their directories, and what is asked on a terminal."""

import base64
import fcntl
import hashlib
import json
import os
import re
import subprocess
import time

import pytest
from kit_store import BINARY, on_terminal, store  # noqa: F401

LINE = re.compile(r"([a-z0-9-]+):\$scrypt\$ln=14,r=8,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43}):(\d*)")


def unpadded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def is_password(line, password):
    """Compares by another implementation of scrypt."""
    _, salt, key, _ = LINE.fullmatch(line).groups()
    computed = hashlib.scrypt(password.encode(), salt=unpadded(salt), n=2**14, r=8, p=1, maxmem=2**26, dklen=32)
    return computed == unpadded(key)


def test_add_writes_a_hash_and_a_directory(store):
    result = store.add("alice", "pässword 1", "--quota", "20M")
    assert result.out == "added the account alice\n" and "https://HOST:PORT/alice" in result.err
    assert "pässword" not in str(store.tree())
    assert is_password(store.logins.strip(), "pässword 1") and store.logins.endswith(":20971520\n")
    assert oct((store.path / "logins").stat().st_mode) == "0o100600"
    assert oct((store.path / "accounts/alice/backups").stat().st_mode) == "0o40700"
    assert "first account" in result.err and "first account" not in store.add("bob").err
    first, second = store.logins.splitlines()
    assert second.startswith("bob:") and second.endswith(":") and not is_password(second, "pässword 1")
    assert set(store.tree()) == {
        "config", "backups", "logins", "asks-for-logins", "accounts", "accounts/alice", "accounts/alice/backups",
        "accounts/bob",
        "accounts/bob/backups"}


def test_add_refuses(store):
    store.add("alice")
    assert f"passwd alice --store file://{store.path} changes" in store.fails(17, "account", "add", "alice").err
    for name in ("Alice", "-a", "a_b", "../a", "a" * 33, ""):
        store.fails(64, "account", "add", "--account-password-file", "-", "--", name, stdin="correct horse")
    for size in ("20X", "-1", "1.5M", "99999999999T", "M x", "0", "0M"):
        store.fails(64, "account", "add", "b", f"--quota={size}", "--account-password-file", "-", stdin="correct horse")
    store.fails(16, "account", "add", "bob")
    store.fails(64, "account", "add", "bob", "--account-password-file", "-", stdin="short12")
    store.fails(65, "account", "add", "bob", "--account-password-file", "-", stdin="a\0bcdefghijk")
    weak = store.fails(64, "account", "add", "bob", "--account-password-file", "-", stdin="password")
    assert "--weak-ok" in weak.err
    store.add("bob", "password", "--weak-ok")
    secret = "not an argument"
    assert secret not in store.fails(64, "account", "add", "carol", "--account-password", secret).err


def test_another_quota_leaves_the_password(store):
    store.add("alice", "correct horse", "--quota", "20M")
    store.add("bob")
    hash = store.logins.split(":")[1]
    store.put(1, b"x" * 3000, account="alice")
    for quota, bytes, words in (("16M", 16 << 20, "the quota of alice is 16 MiB"), ("none", None, "alice has no quota"),
                                ("4K", 4096, "the quota of alice is 4 KiB")):
        result = store.ok("account", "quota", "alice", quota)
        assert result.out == words + "\n" and result.err == ""
        assert store.logins.splitlines()[0] == f"alice:{hash}:{'' if bytes is None else bytes}"
        assert [each["quota_bytes"] for each in store.json("account", "list")["accounts"]] == [bytes, None]
    document = store.json("account", "quota", "alice", "none")
    assert (document["command"], document["name"], document["quota_bytes"]) == ("account quota", "alice", None)
    assert "longer than that: 2.9 KiB" in store.ok("account", "quota", "alice", "1K").err


def test_quota_refuses(store):
    store.fails(10, "account", "quota", "alice", "1M")
    store.add("alice")
    assert "there is no account bob" in store.fails(10, "account", "quota", "bob", "1M").err
    for size in ("0", "0K", "1.5M", "-1", "all", "", "None"):
        store.fails(64, "account", "quota", "--", "alice", size)
    assert "none" in store.fails(64, "account", "quota", "alice", "unlimited").err
    store.fails(64, "account", "quota", "alice")


def test_sources_of_the_password(store, tmp_path):
    path = tmp_path / "password"
    path.write_text("from a file\n")
    path.chmod(0o600)
    store.ok("account", "add", "file", "--account-password-file", path)
    store.ok("account", "add", "command", "--account-password-command", "echo from a command")
    store.environment["KEYTOOL_SERVER_ACCOUNT_PASSWORD_FILE"] = str(path)
    store.ok("account", "add", "variable")
    lines = store.logins.splitlines()
    assert is_password(lines[0], "from a file") and is_password(lines[1], "from a command")
    assert is_password(lines[2], "from a file")


def test_passwd_changes_only_the_hash(store):
    store.add("alice", "old password", "--quota", "5000000")
    store.add("bob")
    logins = store.path / "logins"
    logins.write_text("# accounts\n" + logins.read_text().replace("\nbob", "\n\nbroken line\nbob"))
    before = logins.read_text().splitlines()
    store.ok("account", "passwd", "alice", "--account-password-file", "-", stdin="new password")
    after = logins.read_text().splitlines()
    assert [line for line in before if not line.startswith("alice")] == [
        line for line in after if not line.startswith("alice")]
    assert after[1] != before[1] and is_password(after[1], "new password") and after[1].endswith(":5000000")
    store.fails(10, "account", "passwd", "nobody", "--account-password-file", "-", stdin="new password")
    assert store.json("account", "passwd", "bob", "--account-password-file", "-", stdin="another one")["name"] == "bob"


def test_list(store):
    assert store.ok("account", "list").err == "keytool-server: there are no accounts\n"
    store.add("alice", "correct horse", "--quota", "1K")
    store.add("bob")
    store.put(1, b"x" * 1000, account="alice")
    store.put(2, b"x" * 1000, account="alice")
    (store.path / "accounts/gone/backups").mkdir(parents=True)
    with (store.path / "logins").open("a") as logins:
        logins.write("nonsense\n")
    result = store.ok("account", "list")
    assert result.out == (
        f"alice  2 backups, 2 KiB, of 1 KiB, last upload {today()}\nbob    0 backups, 0 bytes, no quota, no upload\n")
    assert f"line 3 of {store.path}/logins is not an account" in result.err and "gone has no account" in result.err
    store.put_previous(1, "20261121T030000123Z", b"y" * 2000, account="alice")
    store.put_previous(9, "20261121T030000123Z", b"y" * 48, account="alice")
    listed = store.ok("account", "list").out.splitlines()[0]
    assert listed == f"alice  2 backups, 2 KiB, of 1 KiB, 2 previous backups, 2 KiB, last upload {today()}"
    document = store.json("account", "list")
    alice, bob = document["accounts"]
    assert alice.pop("last_upload")[:10] == today() and bob["last_upload"] is None
    assert alice == {"name": "alice", "backups": 2, "bytes": 2000, "versions": 2, "versions_bytes": 2048,
                     "quota_bytes": 1024}
    assert bob["versions"] == bob["versions_bytes"] == 0
    assert document["without_account"] == ["gone"] and document["bad_lines"] == [3]


def test_list_reads_each_account_once(store, tmp_path):
    def opened():
        trace = tmp_path / "trace"
        subprocess.run(["strace", "-f", "-qq", "-e", "trace=openat", "-o", trace, *store.command_line("account", "list")],
                       env=store.environment, stdout=subprocess.DEVNULL, check=True, timeout=60)
        return len(re.findall(r'"(?:backups|previous)"', trace.read_text()))

    store.add("alice")
    before = opened()
    store.add("bob")
    store.put(1, account="bob")
    store.put_previous(1, "20261121T030000123Z", account="bob")
    assert opened() == before + 2


def today():
    return time.strftime("%Y-%m-%d", time.gmtime())


def test_who_has_stopped_backing_up(store):
    """The newest backup of an account counts."""
    for name in ("alice", "bob", "carol"):
        store.add(name)
    store.put(1, days_ago=100, account="alice")
    store.put(2, days_ago=3, account="alice")
    store.put(1, days_ago=40, account="bob")
    result = store("account", "list", "--max-age", "30d")
    assert result.code == 18 and result.out.count("last upload") == 2, result
    assert "error: accounts without an upload within --max-age: bob, carol" in result.err
    assert store("account", "list", "--max-age", "2d").err.count("alice, bob, carol") == 1
    store.put(1, account="carol")
    assert store.ok("account", "list", "--max-age", "60d").err == ""


def test_a_store_whose_time_is_behind(store):
    """A server that was off for a month: its time counts a week of it."""
    store.add("alice")
    now = int(time.time() * 1000)
    (store.path / "clock").write_text(json.dumps({"sum": now - 23 * 86_400_000, "wall": now, "expected": now}))
    store.put(1, days_ago=26, account="alice")
    assert store.ok("account", "list", "--max-age", "8d").err == ""
    day = time.strftime("%Y-%m-%d", time.gmtime(now / 1000 - 3 * 86_400))
    assert store.json("account", "list")["accounts"][0]["last_upload"][:10] == day


def test_remove_keeps_the_backups(store):
    store.add("alice")
    path = store.put(1, account="alice")
    assert "--yes" in store.fails(64, "account", "remove", "alice").err
    result = store.ok("account", "remove", "alice", "--yes")
    assert result.out == f"removed the account alice; its backups stay in {store.path}/accounts/alice\n"
    assert path.exists() and store.logins == ""
    store.fails(10, "account", "remove", "alice", "--yes")
    assert "1 backup of an earlier account" in store.add("alice").err


def test_remove_deletes_the_backups(store):
    for name in ("alice", "bob"):
        store.add(name)
        store.put(1, account=name)
        store.put_previous(1, "20261121T030000123Z", account=name)
    document = store.json("account", "remove", "alice", "--delete-backups", "--yes")
    assert document["backups"] == 1 and document["backups_deleted"] is True and "directory" not in document
    assert not any("alice" in path for path in store.tree())
    store.ok("account", "remove", "bob", "--yes")
    store.ok("account", "remove", "bob", "--yes", "--delete-backups")
    assert not any("bob" in path for path in store.tree())
    store.fails(10, "account", "remove", "bob", "--yes", "--delete-backups")


def test_an_account_is_removed_although_its_backups_are_in_use(store):
    """It may be their user for whom it is removed."""
    store.add("alice")
    path = store.put(1, account="alice")
    lock = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        run = store("account", "remove", "alice", "--delete-backups", "--yes")
        assert run.code == 11 and "the account alice is removed, but its backups are not: another" in run.err, run
        again = f"keytool-server account remove alice --delete-backups --store file://{store.path}"
        assert f"hint: {again} deletes them" in run.err and "try again later" not in run.err
        assert store.logins == "" and path.exists()
        assert "is removed" not in store.fails(11, "account", "remove", "alice", "--delete-backups", "--yes").err
    finally:
        os.close(lock)
    store.ok(*again.split()[1:-2], "--yes")
    assert not path.exists()


def test_parallel_adds_are_all_kept(store):
    names = [f"account-{number}" for number in range(6)]
    running = []
    for name in names:
        process = store.start("account", "add", name, "--account-password-file", "-", stdin=subprocess.PIPE)
        process.stdin.write(b"correct horse")
        process.stdin.close()
        running.append(process)
    assert [process.wait(60) for process in running] == [0] * len(names)
    assert sorted(line.partition(":")[0] for line in store.logins.splitlines()) == names
    for process in running:
        process.stdout.close()
        process.stderr.close()


def test_a_killed_edit_leaves_the_old_file_or_the_new_one(store):
    """Killed at ten moments of its run; the next edit removes what was left."""
    store.add("alice", "password 0")
    began = time.monotonic()
    store.ok("account", "passwd", "alice", "--account-password-file", "-", stdin="password 0")
    length = time.monotonic() - began
    for step in range(1, 11):
        before = store.logins
        process = store.start("account", "passwd", "alice", "--account-password-file", "-", stdin=subprocess.PIPE)
        process.stdin.write(f"password {step}".encode())
        process.stdin.close()
        time.sleep(length * step / 10)
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()
        assert store.logins == before or is_password(store.logins.strip(), f"password {step}")
    store.ok("account", "passwd", "alice", "--account-password-file", "-", stdin="password 99")
    assert set(store.tree()) == {
        "config", "backups", "logins", "asks-for-logins", "accounts", "accounts/alice", "accounts/alice/backups"}


def test_a_store_that_is_none(store, tmp_path):
    for url, code in ((f"file://{tmp_path}/missing", 66), (f"file://{tmp_path}", 66), ("https://x", 64)):
        run = subprocess.run([BINARY, "account", "list", "--store", url], env=store.environment, capture_output=True)
        assert run.returncode == code, run
    run = subprocess.run([BINARY, "account", "list"], env=store.environment, capture_output=True)
    assert run.returncode == 64 and b"--store file:///" in run.stderr
    (store.path / "config").write_text("{}")
    store.fails(65, "account", "list")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a directory of another account")
def test_root_does_not_write_into_the_directory_of_another_account(store):
    (store.path / "clock").unlink()
    os.chown(store.path, 65534, -1)
    try:
        assert "sudo -u nobody keytool-server" in store.fails(77, "account", "add", "alice").err
        store.ok("account", "list")
        assert "sudo -u nobody keytool-server" in store.fails(77, "sweep").err
        # Its lock would stop the server of that account.
        serve = subprocess.run(
            store.command_line("serve", "--listen", "127.0.0.1:0"), env=store.environment, capture_output=True, timeout=60)
        assert serve.returncode == 77 and b"sudo -u nobody keytool-server" in serve.stderr
        assert set(store.tree()) == {"config", "backups"}
        store.ok("sweep", "--dry-run")
        assert not (store.path / "clock").exists()
        # Nor does it prepare one.
        for name in ("config", "backups"):
            os.rename(store.path / name, f"{store.path}.{name}")
        assert "sudo -u nobody keytool-server" in store.fails(77, "account", "add", "alice").err
        assert store.tree() == {}
    finally:
        os.chown(store.path, 0, -1)


# On a terminal


def test_the_password_is_asked_twice(store, on_terminal):
    run = on_terminal("account", "add", "alice")
    for again in ("", ", again"):
        run.expect(f"Account password for alice{again}.*: ")
        assert not run.echo
        run.send("typed password")
    assert run.finish() == 0 and "typed password" not in run.text
    assert is_password(store.logins.strip(), "typed password")


def test_enter_alone_chooses_a_random_password(store, on_terminal):
    run = on_terminal("account", "add", "alice")
    run.expect("Enter for a random one")
    run.send("")
    shown = run.expect(r"([a-z]{5}(?:-[a-z]{5}){4})")[1]
    run.expect("Enter to clear")
    run.send("")
    run.expect("Now type it")
    run.send(shown)
    assert run.finish() == 0
    assert is_password(store.logins.strip(), shown)


def test_removal_is_confirmed(store, on_terminal):
    store.add("alice")
    for answer, code in (("n", 64), ("y", 0)):
        run = on_terminal("account", "remove", "alice")
        run.expect(r"Remove the account alice\? \[y/N\] ")
        run.send(answer)
        assert run.finish() == code
    assert store.logins == ""
    store.add("alice")
    for answer, code in (("y", 64), ("alice", 0)):
        run = on_terminal("account", "remove", "alice", "--delete-backups")
        run.expect("type alice: ")
        run.send(answer)
        assert run.finish() == code
    assert not (store.path / "accounts/alice").exists()


def test_an_account_that_is_added_at_the_question_stays(store, on_terminal):
    """Only the backups of an earlier account of this name were to be deleted."""
    store.add("alice")
    store.put(1, account="alice")
    store.ok("account", "remove", "alice", "--yes")
    run = on_terminal("account", "remove", "alice", "--delete-backups")
    run.expect("type alice: ")
    store.add("alice")
    path, logins = store.put(2, account="alice"), store.logins
    run.send("alice")
    assert run.finish() == 17 and "was added or changed meanwhile" in run.text
    assert path.exists() and store.logins == logins


def test_an_account_that_is_removed_and_added_at_the_question_stays(store, on_terminal):
    store.add("alice")
    store.put(1, account="alice")
    run = on_terminal("account", "remove", "alice", "--delete-backups")
    run.expect("type alice: ")
    store.ok("account", "remove", "alice", "--yes")
    store.add("alice")
    path, logins = store.put(2, account="alice"), store.logins
    run.send("alice")
    assert run.finish() == 17 and "was added or changed meanwhile" in run.text
    assert path.exists() and store.logins == logins
