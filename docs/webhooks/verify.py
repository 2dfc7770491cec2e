"""Checks a message from Segel.

The arguments are the secret of the webhook and the headers webhook-id, webhook-timestamp and webhook-signature. The body of the
request is read from standard input, byte for byte as it arrived.
"""

import base64
import hashlib
import hmac
import sys
import time

TOLERANCE = 5 * 60  # seconds that a message may be old, or of the future


def verify(secret: str, id: str, timestamp: str, signatures: str, body: bytes, now: float) -> bool:
    """Returns whether the message was signed with the secret at about that time."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if not timestamp.isdecimal() or abs(now - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{id}.{timestamp}.".encode() + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Two signatures while a secret is being replaced.
    return any(hmac.compare_digest(s.encode(), want) for s in signatures.split())


if __name__ == "__main__":
    if not verify(*sys.argv[1:5], sys.stdin.buffer.read(), time.time()):
        sys.exit("the message is too old, of the future, or no signature is right")
    print("ok")
