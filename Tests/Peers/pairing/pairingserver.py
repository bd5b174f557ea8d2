"""Runs the SaltyRTC server on loopback with TLS, in the environment of Scripts/set-up (.build/saltyrtc).

    pairingserver.py CERTIFICATE KEY PERMANENT-KEY-HEX

Prints the port; ends with stdin.
"""

import asyncio
import os
import ssl
import sys

import oldasyncio  # noqa: F401

import libnacl.public
import saltyrtc.server


async def main(certificate, key, permanent):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    keys = [libnacl.public.SecretKey(bytes.fromhex(permanent))]
    server = await saltyrtc.server.serve(context, keys, host="127.0.0.1", port=0)
    print(server.server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    # Its own end waits for each client.
    os._exit(0)


asyncio.run(main(*sys.argv[1:]))
