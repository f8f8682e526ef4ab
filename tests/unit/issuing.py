"""An issuer of tokens on this machine: real HTTP, real keys."""

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

MAKERS = {
    "RS256": (lambda: rsa.generate_private_key(65537, 2048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


def described(public_key, algorithm, kid, **more):
    """Return a public key as a set of keys lists it."""
    jwk = json.loads(MAKERS[algorithm][1].to_jwk(public_key))
    return {**jwk, "kid": kid, "use": "sig", "alg": algorithm, **more}


class Issuer:
    """Answers with a set of keys, counts how often it is asked, and signs tokens."""

    def __init__(self):
        self.private, self.listed = {}, []
        self.asked, self.status, self.body, self.headers = [], 200, None, {}
        self.pause_s = 0.0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked.append(self.path)
                time.sleep(issuer.pause_s)
                body = issuer.body or json.dumps({"keys": issuer.listed}).encode()
                self.send_response(issuer.status)
                self.send_header("Content-Length", str(len(body)))
                for name, value in issuer.headers.items():
                    self.send_header(name, value)
                with suppress(ConnectionError):
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def add(self, kid, algorithm="ES256", private=None, **more):
        """Begin to sign with a new key, and to list it."""
        key = private or MAKERS[algorithm][0]()
        self.private[kid] = (algorithm, key)
        self.listed.append(described(key.public_key(), algorithm, kid, **more))

    def drop(self, kid):
        """List a key no more."""
        self.listed = [one for one in self.listed if one["kid"] != kid]

    def sign(self, kid, claims, **header):
        """Return a token, of whatever the claims are."""
        algorithm, key = self.private[kid]
        body = json.dumps(claims).encode()
        return jwt.PyJWS().encode(body, key, algorithm, headers={"kid": kid} | header)

    def close(self):
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
