"""An S3 server over HTTPS with objects in memory. It verifies signatures by its own code.

    s3server.py CONDITIONS CERTIFICATE

CONDITIONS is `honours`, `ignores` or `forbids`: what it does with `If-None-Match: *` of a PUT. CERTIFICATE holds certificate and key in PEM. It prints the port of 127.0.0.1 on which it listens.
"""

import calendar, hashlib, hmac, http.server, ssl, sys, threading, time
from urllib.parse import parse_qsl, quote
certificate = sys.argv[2]
ACCESS, SECRET, REGION = "test:key", b"a secret key", "us-east-1"
buckets, turn = {}, threading.Lock()

def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()

def listed(bucket, query):
    query = dict(parse_qsl(query))
    assert query.pop("list-type") == "2"
    most, prefix, after = int(query.pop("max-keys")), query.pop("prefix"), query.pop("start-after", "")
    assert not query
    keys = sorted(key for key in buckets[bucket] if key.startswith(prefix) and key > after)
    # Fewer than a client asks for, as a server may.
    page = keys[:min(most, 3)]
    contents = "".join(f"<Contents><Key>{key}</Key><Size>{len(buckets[bucket][key])}</Size></Contents>" for key in page)
    return (f"<?xml version='1.0' encoding='UTF-8'?><ListBucketResult><IsTruncated>{str(page != keys).lower()}"
            f"</IsTruncated>{contents}</ListBucketResult>").encode()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments):
        pass
    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
    def fail(self, status, code):
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())
    def fault(self, body):
        scheme, _, rest = self.headers.get("Authorization", "").partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if scheme != "AWS4-HMAC-SHA256" or len(fields) != 3:
            return 403, "AccessDenied"
        access, day, *scope = fields["Credential"].split("/")
        if access != ACCESS or scope != [REGION, "s3", "aws4_request"]:
            return 403, "InvalidAccessKeyId"
        when = self.headers["x-amz-date"]
        if abs(calendar.timegm(time.strptime(when, "%Y%m%dT%H%M%SZ")) - time.time()) > 900 or when[:8] != day:
            return 403, "RequestTimeTooSkewed"
        names = fields["SignedHeaders"].split(";")
        own = [name.lower() for name in self.headers if name.lower().startswith("x-")]
        if names != sorted(names) or not {"host", *own} <= set(names):
            return 403, "AccessDenied"
        payload = self.headers["x-amz-content-sha256"]
        if payload != hashlib.sha256(body).hexdigest():
            return 400, "XAmzContentSHA256Mismatch"
        lines = [f"{name}:{self.headers[name].strip()}" for name in names]
        path, _, query = self.path.partition("?")
        pairs = sorted((quote(name, safe="-._~"), quote(value, safe="-._~"))
                       for name, value in parse_qsl(query, keep_blank_values=True))
        query = "&".join(f"{name}={value}" for name, value in pairs)
        request = chr(10).join([self.command, path, query, *lines, "", ";".join(names), payload])
        hashed = hashlib.sha256(request.encode()).hexdigest()
        text = chr(10).join([scheme, when, "/".join([day, *scope]), hashed])
        key = b"AWS4" + SECRET
        for step in [day, *scope]:
            key = digest(key, step)
        if not hmac.compare_digest(digest(key, text).hex(), fields["Signature"]):
            return 403, "SignatureDoesNotMatch"
    def carry_out(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.fault(body)
        if fault:
            return self.fail(*fault)
        if "ee" * 32 in self.path:
            return self.fail(503, "SlowDown")
        bucket, slash, key = self.path[1:].partition("/")
        if self.command == "PUT" and not slash:
            if bucket in buckets:
                return self.fail(409, "BucketAlreadyOwnedByYou")
            buckets[bucket] = {}
            return self.answer(200)
        if bucket.partition("?")[0] not in buckets:
            return self.fail(404, "NoSuchBucket")
        if self.command == "GET" and not slash:
            return self.answer(200, listed(*bucket.split("?")))
        if self.command == "PUT":
            if self.headers["If-None-Match"] and sys.argv[1] == "forbids":
                return self.fail(403, "AccessDenied")
            with turn:
                if self.headers["If-None-Match"] == "*" and sys.argv[1] == "honours" and key in buckets[bucket]:
                    return self.fail(412, "PreconditionFailed")
                buckets[bucket][key] = body
            return self.answer(200)
        if key not in buckets[bucket]:
            return self.fail(404, "NoSuchKey")
        self.answer(200, buckets[bucket][key])
    do_GET = do_HEAD = do_PUT = carry_out

class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 100

server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
