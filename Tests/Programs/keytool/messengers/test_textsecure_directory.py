"""textsecure hash-numbers and match-tokens, against tokens that Python has computed."""

import json

import pytest

from kit.textsecure import NUMBER, token

OTHERS = ["+4915112345678", "+33612345678"]


def listed(numbers):
    return "".join(f"{number}\n" for number in numbers)


def answer(*entries):
    return json.dumps({"contacts": list(entries)})


def test_known_token(keytool, write):
    """The one of the description."""
    assert token(NUMBER) == "atODmoLR2lc+xw"
    assert keytool.ok("textsecure", "hash-numbers", write("n", NUMBER)).out == f"atODmoLR2lc+xw  {NUMBER}\n"


def test_hash_numbers(keytool, write):
    path = write("numbers", f"# Ann\r\n{NUMBER}\r\n\n  {OTHERS[0]}\t\n{OTHERS[1]}\n{NUMBER}\n")
    done = keytool.ok("textsecure", "hash-numbers", path)
    wanted = [(token(number), number) for number in (NUMBER, *OTHERS)]
    assert [tuple(line.split()) for line in done.out.splitlines()] == wanted
    assert "warning" in done.err and "tokens" in done.err
    bodies = keytool.ok("textsecure", "hash-numbers", path, "--bodies").out
    assert bodies == json.dumps({"contacts": [each for each, _ in wanted]}, separators=(",", ":")) + "\n"
    shown = keytool.json("textsecure", "hash-numbers", "-", stdin=path.read_bytes())
    assert shown["bodies"] == [json.loads(bodies)]
    assert [(each["token"], each["number"]) for each in shown["tokens"]] == wanted
    assert list(keytool.keystore.iterdir()) == []


def test_warning_comes_before_the_tokens(keytool, write):
    """Both on one pipe, in the order of writing."""
    process = keytool.start("textsecure", "hash-numbers", write("n", NUMBER), "-q", stderr=-2)
    out = process.communicate(timeout=60)[0].decode()
    assert 0 <= out.index("warning") < out.index(token(NUMBER))


def test_batches(keytool, write):
    numbers = [f"+1202{index:07}" for index in range(2001)]
    bodies = keytool.ok("textsecure", "hash-numbers", write("n", listed(numbers)), "--bodies").out.splitlines()
    batches = [json.loads(body)["contacts"] for body in bodies]
    assert [len(batch) for batch in batches] == [1000, 1000, 1]
    assert sum(batches, []) == [token(number) for number in numbers]


@pytest.mark.parametrize("text", [
    "", "\n# none\n", f"{NUMBER}\n12025550123\n", f"{NUMBER}\n+1 202 555 0123\n", "+0123456789\n", "+123456\n",
    f"{NUMBER} {OTHERS[0]}\n", "ann@example.org\n", b"\xff\xfe", b"+1" * (1 << 20)])
def test_wrong_numbers(keytool, write, text):
    path = write("numbers", text)
    refused = keytool.fails(65, "textsecure", "hash-numbers", path)
    keytool.fails(65, "textsecure", "match-tokens", write("a", answer()), "--numbers", path)
    if isinstance(text, str) and text.startswith(NUMBER + "\n"):
        assert "line 2" in refused.err


def test_match_tokens(keytool, write):
    numbers = write("numbers", listed([NUMBER, *OTHERS]))
    entries = [{"token": token(OTHERS[1]), "relay": "other.exa\x07mple", "supportsSms": True},
               {"token": token("+999999999"), "supportsSms": True},
               {"token": token(NUMBER) + "==", "relay": None, "supportsSms": "false"}, {"token": token(OTHERS[1])}]
    path = write("answer", answer(*entries))
    found = keytool.json("textsecure", "match-tokens", path, "--numbers", numbers)
    assert found["matches"] == [
        {"number": OTHERS[1], "relay": "other.exa\x07mple", "supports_sms": True},
        {"number": NUMBER, "supports_sms": False}]
    assert found["numbers"] == 3
    people = keytool.ok("textsecure", "match-tokens", "-", "--numbers", numbers, stdin=path.read_bytes())
    lines = people.out.splitlines()
    assert [line.split()[0] for line in lines] == [OTHERS[1], NUMBER]
    assert "other.exa\x07mple" in lines[0] and "SMS" in lines[0] and "SMS" not in lines[1]


def test_match_nothing(keytool, write):
    result = keytool.ok("textsecure", "match-tokens", write("a", answer()), "--numbers", write("n", NUMBER))
    assert result.out == "" and "none" in result.err


@pytest.mark.parametrize("text", [
    "", "[]", "{", '{"contacts":1}', '{"contacts":[1]}', answer({"token": 1}), answer({"token": "AAAA"}), answer({}),
    answer({"token": token(NUMBER), "supportsSms": 1}), answer(*({"token": token(NUMBER)} for _ in range(1001))),
    " " * (2 << 20)])
def test_wrong_answers(keytool, write, text):
    keytool.fails(65, "textsecure", "match-tokens", write("a", text), "--numbers", write("n", NUMBER))


def test_stdin_serves_one_purpose(keytool):
    keytool.fails(64, "textsecure", "match-tokens", "-", "--numbers", "-", stdin=NUMBER)
