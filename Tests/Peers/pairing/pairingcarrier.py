"""Carries the messages of web-peer over a WebSocket, in the environment of Scripts/set-up (.build/saltyrtc).

    pairingcarrier.py PORT AUTHORITY WEB-PEER

Passes stdin on to web-peer, and its events to stdout; a line `closed CODE` is the last one.
"""

import asyncio
import ssl
import sys

import oldasyncio  # noqa: F401

import websockets


# Longest line, in bytes.
LIMIT = 1 << 23


async def lines_of(stream):
    while line := await stream.readline():
        yield line.decode().rstrip("\n")


async def main(port, authority, program):
    loop = asyncio.get_running_loop()
    peer = await asyncio.create_subprocess_exec(
        program, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LIMIT)
    orders = asyncio.StreamReader(limit=LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)

    def give(line):
        peer.stdin.write(line.encode() + b"\n")

    give((await orders.readline()).decode().rstrip("\n"))
    path = (await peer.stdout.readline()).decode().split()[1]
    context = ssl.create_default_context(cafile=authority)
    socket = await websockets.connect(
        f"wss://127.0.0.1:{port}/{path}", ssl=context, subprotocols=["v1.saltyrtc.org"], max_size=1 << 22)

    async def from_network():
        async for message in socket:
            give("message " + message.hex())

    async def from_test():
        async for line in lines_of(orders):
            give(line)
        # The test lets go: as a phone without network.
        socket.transport.abort()

    async def from_peer():
        async for line in lines_of(peer.stdout):
            word, _, rest = line.partition(" ")
            if word == "message":
                await socket.send(bytes.fromhex(rest))
                continue
            print(line, flush=True)
            if word == "close":
                await socket.close(int(rest.split()[0]))

    def finished(task):
        # A failure would otherwise be a silence.
        if not task.cancelled() and task.exception():
            print("failed", repr(task.exception()), flush=True)
            socket.transport.abort()

    tasks = [asyncio.ensure_future(each()) for each in (from_network, from_test, from_peer)]
    for task in tasks:
        task.add_done_callback(finished)
    await socket.wait_closed()
    # What has arrived before the end is still told.
    await asyncio.wait(tasks[:1], timeout=5)
    peer.stdin.close()
    await asyncio.wait(tasks[2:], timeout=5)
    print("closed", socket.close_code, flush=True)
    for task in tasks:
        task.cancel()
    await peer.wait()


try:
    asyncio.run(main(*sys.argv[1:]))
except BrokenPipeError:
    pass
