"""Web client and app pair through a SaltyRTC server of others, over WebSockets with TLS."""

import hashlib
import os

import pytest
from nacl.secret import SecretBox

from conftest import SERVER

TASK = "v0.relayed-data.tasks.saltyrtc.org"


def exchange(web, app):
    for text in ("Grüezi", "x" * 200_000):
        web.order("say " + text)
        assert app.await_line("received") == "received " + text
        app.order("say " + text[::-1])
        assert web.await_line("received") == "received " + text[::-1]


def test_first_pairing(scene):
    web = scene.web(scene.given)
    assert web.await_line("connected") == "connected 1 []"
    app = scene.app(scene.given)
    assert web.await_line("paired") == f"paired 2 {scene.public(scene.app_key)} {TASK}"
    assert app.await_line("paired") == f"paired 1 {scene.public(scene.web_key)} {TASK}"
    assert app.said[0] == "connected 2 [1]" and "joined 2" in web.said
    exchange(web, app)
    # A side that closes tells the other one.
    web.order("close")
    assert app.await_line("peer closes") == "peer closes 1001"
    assert app.await_line("closed") == "closed 1001"
    assert web.await_line("closed") == "closed 1001"


def test_first_pairing_with_the_app_first(scene):
    app = scene.app(scene.given)
    assert app.await_line("connected") == "connected 2 []"
    web = scene.web(scene.given)
    assert web.await_line("connected") == "connected 1 [2]"
    assert app.await_line("joined") == "joined 1"
    web.await_line("paired")
    app.await_line("paired")
    exchange(web, app)


def test_trusted_pairing(scene):
    web = scene.web(f"peer={scene.public(scene.app_key)}")
    web.await_line("connected")
    app = scene.app()
    assert web.await_line("paired") == f"paired 2 {scene.public(scene.app_key)} {TASK}"
    app.await_line("paired")
    exchange(web, app)


def test_what_a_browser_has_stored(scene):
    """XSalsa20-Poly1305 under the password, opened and made by PyNaCl."""
    password = "Grüezi"
    # Of each UTF-16 unit the lower half: all of these are one byte.
    box = SecretBox(hashlib.sha512(password.encode("latin1")).digest()[:32])
    given = f"password={password.encode().hex()}"
    web = scene.web(scene.given, given)
    web.await_line("connected")
    app = scene.app(scene.given)
    nonce, sealed = map(bytes.fromhex, web.await_line("stored").removeprefix("stored ").split(":"))
    public = [bytes.fromhex(scene.public(key)) for key in (scene.web_key, scene.app_key)]
    keys = public[0] + scene.web_key + public[1]
    assert box.decrypt(sealed, nonce) == keys
    web.vanish()
    app.vanish()
    # Another store of the same pairing, with a push token; the key is only there.
    stored = box.encrypt(keys + b"g:a token", os.urandom(24))
    web = scene.restored(f"stored={stored.nonce.hex()}:{stored.ciphertext.hex()}", given)
    web.await_line("connected")
    app = scene.app()
    assert web.await_line("paired") == f"paired 2 {scene.public(scene.app_key)} {TASK}"
    app.await_line("paired")
    exchange(web, app)


def test_an_app_that_was_away_comes_back_without_a_token(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    app = scene.app(scene.given)
    app.await_line("paired")
    app.vanish()
    assert web.await_line("left") == "left 2"
    web.order("say anybody?")
    assert web.await_line("not said") == "not said: notPaired"
    again = scene.app()
    web.await_line("paired")
    again.await_line("paired")
    exchange(web, again)


def test_wrong_token(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    other = scene.app(f"token={os.urandom(32).hex()}", key=os.urandom(32))
    assert web.await_line("dropped").startswith("dropped 2 3005 notAuthentic(")
    assert other.await_line("closed") == "closed 3005"
    # The token is still good.
    app = scene.app(scene.given)
    web.await_line("paired")
    app.await_line("paired")


def test_untrusted_key(scene):
    web = scene.web(f"peer={scene.public(scene.app_key)}")
    web.await_line("connected")
    other = scene.app(key=os.urandom(32))
    assert web.await_line("dropped").startswith("dropped 2 3005 notAuthentic(")
    assert other.await_line("closed") == "closed 3005"


def test_second_responder(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    app = scene.app(scene.given)
    app.await_line("paired")
    second = scene.app(scene.given, key=os.urandom(32))
    assert web.await_line("dropped") == "dropped 3 3004"
    assert second.await_line("closed") == "closed 3004"
    exchange(web, app)


def test_server_with_another_key(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    scene.expected = os.urandom(32)
    for connect in scene.web, scene.app:
        assert connect(scene.given).await_line("closed") == "closed 3007"
    # Both were refused before they were on the path.
    scene.expected = SERVER
    app = scene.app(scene.given)
    web.await_line("paired")
    app.await_line("paired")


def test_drop(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    app = scene.app(scene.given)
    web.await_line("paired")
    app.await_line("paired")
    web.order("drop 2")
    assert app.await_line("closed") == "closed 3004"
    # It is trusted now, and comes back.
    again = scene.app()
    web.await_line("paired")
    again.await_line("paired")


def test_a_new_initiator_replaces_the_earlier_one(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    app = scene.app(scene.given)
    app.await_line("paired")
    again = scene.web(f"peer={scene.public(scene.app_key)}")
    assert web.await_line("closed") == "closed 3004"
    assert app.await_line("joined") == "joined 1"
    again.await_line("paired")
    app.await_line("paired")
    exchange(again, app)


def test_no_shared_task(scene):
    web = scene.web(scene.given, "tasks=v1.webrtc.tasks.saltyrtc.org")
    web.await_line("connected")
    app = scene.app(scene.given)
    assert web.await_line("close") == "close 3006 noSharedTask"
    assert app.await_line("peer closes") == "peer closes 3006"


def test_a_web_client_that_vanishes(scene):
    web = scene.web(scene.given)
    web.await_line("connected")
    app = scene.app(scene.given)
    web.await_line("paired")
    app.await_line("paired")
    web.vanish()
    assert app.await_line("left") == "left 1"
    app.order("say hello?")
    assert app.await_line("not said") == "not said: notPaired"


@pytest.mark.parametrize("who", ["web", "app"])
@pytest.mark.parametrize("is_trusted", [False, True], ids=["token", "trusted"])
def test_with_another_implementation(scene, who, is_trusted):
    web = scene.web(f"peer={scene.public(scene.app_key)}" if is_trusted else scene.given, is_other=who == "web")
    web.await_line("connected")
    app = scene.app(*[] if is_trusted else [scene.given], is_other=who == "app")
    assert web.await_line("paired") == f"paired 2 {scene.public(scene.app_key)} {TASK}"
    assert app.await_line("paired") == f"paired 1 {scene.public(scene.web_key)} {TASK}"
    exchange(web, app)
    app.order("close")
    assert web.await_line("peer closes") == "peer closes 1001"
    assert app.await_line("closed") == "closed 1001"
