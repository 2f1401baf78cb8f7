"""An issuer of OpenID Connect, over TLS on this machine, that also lies when it is told to."""
import base64
import datetime
import hashlib
import http.server
import ipaddress
import json
import secrets
import ssl
import threading
import time
import typing
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

NEEDS = ("python3-cryptography",)

CLIENT = "mamd-test-client"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, length=None):
    return base64url(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


class Key:
    """A key that signs tokens, by RS256 or ES256."""

    def __init__(self, name, algorithm="RS256"):
        self.name, self.algorithm = name, algorithm
        self.private: typing.Any = (
            rsa.generate_private_key(65537, 2048) if algorithm == "RS256"
            else ec.generate_private_key(ec.SECP256R1()))

    @property
    def public(self):
        numbers = self.private.public_key().public_numbers()
        if self.algorithm == "RS256":
            form = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        else:
            form = {
                "kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        return {**form, "kid": self.name, "use": "sig", "alg": self.algorithm}

    def sign(self, message):
        if self.algorithm == "RS256":
            return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())
        pair = utils.decode_dss_signature(self.private.sign(message, ec.ECDSA(hashes.SHA256())))
        return b"".join(value.to_bytes(32, "big") for value in pair)

    def token(self, claims, header=None):
        header = {"alg": self.algorithm, "typ": "JWT", "kid": self.name, **(header or {})}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{base64url(self.sign(signed.encode()))}"


def unsigned(claims):
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(base64url(json.dumps(part).encode()) for part in parts) + "."


def signed_with_public_key(claims, key):
    """HS256, with what everybody knows as its secret."""
    pem = key.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "typ": "JWT", "kid": key.name}
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    code = hmac.HMAC(pem, hashes.SHA256())
    code.update(signed.encode())
    return f"{signed}.{base64url(code.finalize())}"


class Issuer:
    """`person`: the claims of whoever signs in; `spoil`: changes a token's claims; `discovery`:
    changes the discovery document; `mint`: makes the token of (claims, key)."""

    def __init__(self, directory, address="127.0.0.1", port=0):
        self.keys = [Key("first")]
        self.person, self.discovery = {}, {}
        self.spoil, self.mint = (lambda claims: claims), (lambda claims, key: key.token(claims))
        self.codes, self.refresh_tokens, self.devices = {}, {}, {}
        self.approves_devices, self.requests, self.fetched_keys = True, [], 0
        self.certificate = directory / "issuer.pem"
        self.server = http.server.ThreadingHTTPServer((address, port), self.handler())
        self.port = self.server.server_address[1]
        self.name = f"https://{address}:{self.port}/tenant"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(make_certificate(self.certificate, address))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def claims(self, nonce=None):
        now = int(time.time())
        claims = {
            "iss": self.name, "aud": CLIENT, "iat": now, "nbf": now, "exp": now + 3600,
            "jti": secrets.token_urlsafe(),
            "sub": "subject of " + self.person.get("preferred_username", "nobody"), **self.person}
        if nonce is not None:
            claims["nonce"] = nonce
        return self.spoil(claims)

    def tokens(self, nonce=None):
        refresh = secrets.token_urlsafe()
        self.refresh_tokens[refresh] = True
        return {
            "token_type": "Bearer", "access_token": "unused", "refresh_token": refresh,
            "id_token": self.mint(self.claims(nonce), self.keys[-1])}

    def discover(self):
        base = self.name
        return {
            "issuer": base, "authorization_endpoint": base + "/authorize",
            "token_endpoint": base + "/token", "jwks_uri": base + "/keys",
            "device_authorization_endpoint": base + "/device", **self.discovery}

    def authorize(self, query):
        code = secrets.token_urlsafe()
        self.codes[code] = query
        return f"{query['redirect_uri']}?" + urllib.parse.urlencode(
            {"code": code, "state": query["state"]})

    def exchange(self, form):
        if form["client_id"] != CLIENT:
            return 401, {"error": "invalid_client"}
        if form["grant_type"] == "authorization_code":
            query = self.codes.pop(form["code"], None)
            digest = base64url(hashlib.sha256(form["code_verifier"].encode()).digest())
            if not query or (query["code_challenge"], query["redirect_uri"]) != (
                    digest, form["redirect_uri"]):
                return 400, {"error": "invalid_grant"}
            return 200, self.tokens(query["nonce"])
        if form["grant_type"] == "refresh_token":
            if not self.refresh_tokens.pop(form["refresh_token"], None):
                return 400, {"error": "invalid_grant", "error_description": "it was revoked"}
            return 200, self.tokens()
        if form["grant_type"] == DEVICE:
            self.devices[form["device_code"]] += 1
            if not self.approves_devices or self.devices[form["device_code"]] < 2:
                return 400, {"error": "authorization_pending"}
            return 200, self.tokens()
        return 400, {"error": "unsupported_grant_type"}

    def handler(issuer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path, _, query = self.path.partition("?")
                issuer.requests.append(path)
                if path.endswith("/.well-known/openid-configuration"):
                    self.answer(200, issuer.discover())
                elif path.endswith("/keys"):
                    issuer.fetched_keys += 1
                    self.answer(200, {"keys": [key.public for key in issuer.keys]})
                elif path.endswith("/authorize"):
                    self.send_response(302)
                    self.send_header(
                        "Location", issuer.authorize(dict(urllib.parse.parse_qsl(query))))
                    self.end_headers()
                else:
                    self.answer(404, {})

            def do_POST(self):
                issuer.requests.append(self.path)
                length = int(self.headers["Content-Length"])
                form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode()))
                if self.path.endswith("/device"):
                    code = secrets.token_urlsafe()
                    issuer.devices[code] = 0
                    self.answer(200, {
                        "device_code": code, "user_code": "WDJB-MJHT", "interval": 1,
                        "expires_in": 60, "verification_uri": issuer.name + "/code"})
                else:
                    self.answer(*issuer.exchange(form))

            def answer(self, status, value):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler


def make_certificate(path, address="127.0.0.1"):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "issuer")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .sign(key, hashes.SHA256()))
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
    return path
