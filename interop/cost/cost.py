"""Measures the processor time of one of many invisible PAdES signatures by pyHanko, and of the key alone.

Usage: cost.py FILE KEY CHAIN TIMES WARM. It prints seconds as JSON, measured after WARM signatures. It signs in place, which
spares pyHanko a copy of the file, and cuts the signature off again.
"""

import json
import resource
import sys
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from pyhanko.keys import load_certs_from_pemder, load_private_key_from_pemder
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko_certvalidator.registry import SimpleCertificateStore


def measure(warm, times, step):
    for _ in range(warm):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(times):
        step()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / times


def main():
    path, key, chain, times, warm = *sys.argv[1:4], *map(int, sys.argv[4:6])
    certs = list(load_certs_from_pemder([chain]))
    store = SimpleCertificateStore()
    store.register_multiple(certs)
    signer = signers.SimpleSigner(
        signing_cert=certs[0], signing_key=load_private_key_from_pemder(key, passphrase=None), cert_registry=store
    )
    meta = signers.PdfSignatureMetadata(field_name="A", md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES)
    private = serialization.load_pem_private_key(Path(key).read_bytes(), None)
    scheme = [ec.ECDSA(hashes.SHA256())]
    if isinstance(private, rsa.RSAPrivateKey):
        scheme = [padding.PKCS1v15(), hashes.SHA256()]
    with open(path, "r+b") as f:
        size = f.seek(0, 2)

        def sign():
            f.seek(0)
            signers.PdfSigner(meta, signer).sign_pdf(IncrementalPdfFileWriter(f), in_place=True)
            f.truncate(size)

        signature = measure(warm, times, sign)
    alone = measure(100, 500, lambda: private.sign(b"attributes", *scheme))
    print(json.dumps({"signature": signature, "key": alone}))


if __name__ == "__main__":
    main()
