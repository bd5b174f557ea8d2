"""The server is killed in the middle of uploads, again and again. What was acknowledged is stored, and nothing else but
whole backups that were sent."""

import hashlib
import http.client
import random
import signal
import threading
import time

from kit.sampling import SEED, often
from server import wait_for
from uploads import content, version_of

ROUNDS = often(200, 8)
WRITERS = 8


class Writer:
    """Uploads one version after the other until the server is gone."""

    def __init__(self, number):
        self.id = hashlib.sha256(b"%d" % number).hexdigest()
        self.sent = self.acknowledged = 0
        self.refusals = []

    def write(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            while True:
                self.sent += 1
                connection.request("PUT", f"/backups/{self.id}", content(self.id, self.sent))
                answer = connection.getresponse()
                answer.read()
                if answer.status in (201, 204):
                    self.acknowledged = self.sent
                else:
                    self.refusals.append(answer.status)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def check(self, port):
        """The last acknowledged version is stored, or the one that was on its way after it."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", f"/backups/{self.id}")
        answer = connection.getresponse()
        stored = answer.read()
        connection.close()
        version = 0 if answer.status == 404 else version_of(self.id, stored)
        assert self.acknowledged <= version <= self.sent, (version, self.acknowledged, self.sent)
        assert not self.refusals
        # It is what the next acknowledgement is compared with.
        self.acknowledged = version


def test_killed_during_uploads(serve):
    source = random.Random(SEED)
    writers = [Writer(number) for number in range(WRITERS)]
    options = ["--client-rate", "100000", "--backup-rate", "100000", "--keep-versions", "100000"]
    server, unacknowledged = serve(*options), 0
    for _ in range(ROUNDS):
        threads = [threading.Thread(target=writer.write, args=[server.port]) for writer in writers]
        for thread in threads:
            thread.start()
        time.sleep(source.uniform(0.01, 0.25))
        server.process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
        assert server.ended() == -signal.SIGKILL
        unacknowledged += sum(writer.sent > writer.acknowledged for writer in writers)
        server = serve(*options)
        for writer in writers:
            writer.check(server.port)
    assert unacknowledged > ROUNDS and all(writer.acknowledged > ROUNDS for writer in writers)
    directory = server.directory
    previous = [path for path in (directory / "previous").glob("??/*") if path.name[0] != "."]
    for path in previous:
        version_of(path.name[:64], path.read_bytes())
    assert len(previous) > ROUNDS
    # The sweep at the start has removed what the killed servers left.
    wait_for(lambda: {path.name for path in (directory / "backups").iterdir()} - {".lock"} == {
        writer.id for writer in writers})
    assert server.stop() == 0
