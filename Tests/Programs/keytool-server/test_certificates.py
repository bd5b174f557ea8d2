"""Certificates and keys that cannot be read, are missing or have expired."""

import os
import signal

import pytest

from kit_store import faketime, forget_faketime
from server import curl, run, wait_for

# How a file stops being a regular one.
REPLACED = {"a FIFO": os.mkfifo, "a directory": os.mkdir, "a device": lambda path: os.symlink("/dev/null", path)}


@pytest.fixture
def installed(certificates, tmp_path):
    """The options of a server whose certificate and key are copies, and the two files."""
    paths = tmp_path / "server.crt", tmp_path / "server.key"
    for path, source in zip(paths, (certificates.good.path, certificates.good.key)):
        path.write_bytes(source.read_bytes())
    return ["--tls-certificate", paths[0], "--tls-key", paths[1]], paths


@pytest.mark.parametrize("which", [0, 1], ids=["certificate", "key"])
@pytest.mark.parametrize("kind", REPLACED)
def test_a_reload_waits_for_no_pipe(serve, certificates, installed, kind, which):
    """The present certificate stays, and the server can be stopped."""
    options, paths = installed
    server = serve(*options)
    paths[which].unlink()
    REPLACED[kind](paths[which])
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: f"the present certificate stays in use: {paths[which]} is not a regular file" in server.words)
    asked = curl(f"https://localhost:{server.port}/config", "--cacert", certificates.authority.path)
    assert asked.status == 200 and server.stop() == 0


@pytest.mark.parametrize("which", [0, 1], ids=["certificate", "key"])
def test_a_start_waits_for_no_pipe(installed, tmp_path, which):
    options, paths = installed
    paths[which].unlink()
    os.mkfifo(paths[which])
    refused = run("serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0", *options)
    assert refused.returncode == 66 and f"{paths[which]} is not a regular file" in refused.stderr


@pytest.mark.parametrize("missing", [{"key.pem"}, {"key.pem", "certificate.pem"}, {"key.pem", "authority.pem"}],
                         ids=["key", "key and certificate", "key and authority"])
def test_a_lost_key_is_not_replaced_silently(serve, missing):
    """All clients have its pin."""
    server = serve("--tls-self-signed", "localhost")
    assert server.stop() == 0
    tls = server.directory / "tls"
    lost = {name: (tls / name).read_bytes() for name in missing}
    for name in missing:
        (tls / name).unlink()
    before = {path.name: path.read_bytes() for path in tls.iterdir()}
    refused = run("serve", "--store", f"file://{server.directory}", "--listen", "127.0.0.1:0", "--tls-self-signed",
                  "localhost")
    assert refused.returncode == 66 and "tls/key.pem in the store's directory is missing" in refused.stderr
    assert "restore the key from a backup" in refused.stderr
    assert {path.name: path.read_bytes() for path in tls.iterdir()} == before
    # Both ways of the hint lead on.
    (tls / "key.pem").write_bytes(lost["key.pem"])
    (tls / "key.pem").chmod(0o600)
    again = serve("--tls-self-signed", "localhost")
    assert again.said["pin"] == server.said["pin"] and again.stop() == 0
    for path in tls.iterdir():
        path.unlink()
    tls.rmdir()
    assert serve("--tls-self-signed", "localhost").said["pin"] != server.said["pin"]


def test_a_reload_takes_no_other_self_signed_key(serve, tmp_path):
    """All clients know the pin of the present one. A start with the new key would lock them out."""
    server = serve("--tls-self-signed", "localhost")
    other = serve("--tls-self-signed", "localhost", name="other")
    tls, away = server.directory / "tls", server.directory / "away"

    def reload(sentence):
        count = server.words.count(sentence)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: server.words.count(sentence) > count)
        asked = curl(f"https://localhost:{server.port}/config", "--cacert", authority, "--pinnedpubkey",
                     server.said["pin"])
        assert asked.status == 200

    tls.rename(away)
    authority = away / "authority.pem"
    missing = "the present certificate stays in use: tls/key.pem in the store's directory is missing"
    reload(missing)
    assert not tls.exists()
    tls.mkdir(mode=0o700)
    reload(missing)
    assert list(tls.iterdir()) == []
    tls.rmdir()
    (other.directory / "tls").rename(tls)
    reload("the present certificate stays in use: tls/key.pem in the store's directory is another key")
    tls.rename(tmp_path / "gone")
    away.rename(tls)
    authority = tls / "authority.pem"
    reload("the certificate was read again")


def test_an_authority_of_a_wrong_clock_is_made_again(serve):
    """With the same key: clients know its pin."""
    first = serve("--tls-self-signed", "localhost", **faketime(-20_000))
    assert first.stop() == 0
    forget_faketime(first.process)
    again = serve("--tls-self-signed", "localhost")
    assert again.said["pin"] == first.said["pin"]
    assert curl(f"https://localhost:{again.port}/config", "--cacert", again.said["ca_file"]).status == 200
    assert again.stop() == 0
    # A good one is not made again.
    authority = (again.directory / "tls/authority.pem").read_bytes()
    third = serve("--tls-self-signed", "127.0.0.1")
    assert (third.directory / "tls/authority.pem").read_bytes() == authority
    assert third.stop() == 0
    # Nor by a machine without a clock of its own, which reads 1970 at its start: clients have the fingerprint.
    behind = serve("--tls-self-signed", "localhost", **faketime(-20_000))
    assert behind.stop() == 0
    forget_faketime(behind.process)
    assert (behind.directory / "tls/authority.pem").read_bytes() == authority


def test_a_good_certificate_stays_if_the_clock_reads_1970(serve):
    """It would be replaced by one that has expired when the clock is right."""
    def start(days=0):
        server = serve("--tls-self-signed", "localhost", **(faketime(days) if days else {}))
        asked = curl(f"https://localhost:{server.port}/config", "--cacert", server.said["ca_file"], ok=False)
        assert server.stop() == 0
        if days:
            forget_faketime(server.process)
        return asked, (server.directory / "tls/certificate.pem").read_bytes()

    first = start()[1]
    asked, certificate = start(-20_000)
    assert asked.status == 200 and certificate == first
    # One that was made with a clock that was ahead does not stay.
    ahead = start(600)[1]
    asked, certificate = start()
    assert asked.status == 200 and len({first, ahead, certificate}) == 3


def test_a_name_that_is_none_is_named(tmp_path):
    refused = run("serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0", "--tls-self-signed",
                  "localhost,not a name")
    assert refused.returncode == 64 and "'not a name' in --tls-self-signed is neither" in refused.stderr


def test_an_expired_certificate_is_named(serve, certificates, installed):
    """Once at the start, and once after each signal."""
    options, paths = installed

    def install(which):
        for path, source in zip(paths, (which.path, which.key)):
            path.write_bytes(source.read_bytes())

    install(certificates.expired)
    server = serve(*options)
    expired = f"warning: the certificate expired at {certificates.expired.ends:%Y-%m-%dT%H:%M:%SZ}: clients refuse it"
    early = f"is not valid before {certificates.not_yet_valid.begins:%Y-%m-%dT%H:%M:%SZ}: clients refuse it"
    wait_for(lambda: expired in server.words)
    for reloads, which in enumerate((certificates.not_yet_valid, certificates.good, certificates.expired), 1):
        install(which)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: server.words.count("was read again") == reloads)
    assert server.stop() == 0
    assert [server.words.count(each) for each in (expired, early, "clients refuse it")] == [2, 1, 3], server.words
