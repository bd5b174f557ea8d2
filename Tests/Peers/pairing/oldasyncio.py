"""Importing it gives asyncio back the parameter `loop`, which Python 3.10 has removed and which the SaltyRTC server and
its WebSockets pass everywhere. The running loop is used."""

import asyncio
import functools


def without_loop(function):
    @functools.wraps(function)
    def call(*arguments, loop=None, **named):
        return function(*arguments, **named)

    return call


for name in ("Lock", "Queue", "gather", "shield", "sleep", "wait", "wait_for"):
    setattr(asyncio, name, without_loop(getattr(asyncio, name)))
