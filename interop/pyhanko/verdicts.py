"""Validates signatures with pyHanko.

Usage: verdicts.py [--plain] [--trust CERTIFICATE] [--ocsp RESPONSE] [--crl LIST] [--password WORD]...

It reads one path per line from standard input and writes one JSON object per line, flushed, so that the caller knows
which file crashed it. It does not use the network: revocation data is in the file or in the arguments.
"""

import argparse
import asyncio
import json
import logging
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

from asn1crypto import crl, ocsp
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.crypt import AuthStatus
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.diff_analysis import SuspiciousModification
from pyhanko.sign.validation import ades
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko.sign.validation.errors import NoDSSFoundError
from pyhanko.sign.validation.pdf_embedded import (
    async_validate_pdf_signature,
    async_validate_pdf_timestamp,
)
from pyhanko.sign.validation.policy_decl import (
    LocalKnowledge,
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.authority import CertTrustAnchor
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import REQUIRE_REVINFO, CertRevTrustPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager
from pyhanko_certvalidator.revinfo.archival import CRLContainer, OCSPContainer

# FAR is how long after signing a B-LTA file must still validate: all our certificates except the root have expired then.
FAR = timedelta(days=365 * 12)


class Validator:
    def __init__(self, args):
        self.roots = [load_cert_from_pemder(p) for p in args.trust]
        self.ocsps = [ocsp.OCSPResponse.load(Path(p).read_bytes()) for p in args.ocsp]
        self.crls = [crl.CertificateList.load(Path(p).read_bytes()) for p in args.crl]
        self.password = args.password
        self.plain = args.plain

    def context(self, reader):
        """Roots and revocation data for the plain validation: from the arguments and from the file's store."""
        certs, ocsps, crls = [], list(self.ocsps), list(self.crls)
        try:
            dss = DocumentSecurityStore.read_dss(reader)
            certs = list(dss.load_certs())
            ocsps += [ocsp.OCSPResponse.load(r.get_object().data) for r in dss.ocsps]
            crls += [crl.CertificateList.load(r.get_object().data) for r in dss.crls]
        except NoDSSFoundError:
            pass
        return ValidationContext(
            trust_roots=self.roots,
            other_certs=certs,
            ocsps=ocsps,
            crls=crls,
            allow_fetching=False,
            revocation_mode="require" if ocsps or crls else "soft-fail",
        )

    def spec(self):
        """Roots and revocation data for the validation with time; pyHanko reads the file's store itself."""
        anchors = SimpleTrustManager.build(trust_roots=[CertTrustAnchor(r) for r in self.roots])
        knowledge = LocalKnowledge(
            known_ocsps=[c for o in self.ocsps for c in OCSPContainer.load_multi(o)],
            known_crls=[CRLContainer(c) for c in self.crls],
        )
        return PdfSignatureValidationSpec(
            SignatureValidationSpec(
                cert_validation_policy=CertValidationPolicySpec(anchors, revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO)),
                revinfo_gathering_policy=RevocationInfoGatheringSpec(RevinfoOnlineFetchingRule.LOCAL_ONLY),
                local_knowledge=knowledge,
            )
        )

    async def validate(self, path):
        answer = {"file": path}
        try:
            with open(path, "rb") as f:
                # Strict reading refuses hybrid files, and files with defects that all readers accept.
                reader = PdfFileReader(f, strict=False)
                if reader.encrypted and reader.decrypt(self.password).status == AuthStatus.FAILED:
                    raise PermissionError("password needed")
                answer["signatures"] = [await self.signature(reader, s) for s in reader.embedded_signatures]
        except Exception as e:  # an exception is the verdict
            answer["error"] = f"{type(e).__name__}: {e}"
        return answer

    async def signature(self, reader, s):
        stamp = s.sig_object_type == "/DocTimeStamp"
        m = {"field": s.field_name, "kind": "timestamp" if stamp else "signature"}
        try:
            if stamp:
                status = await async_validate_pdf_timestamp(s, self.context(reader))
            else:
                status = await async_validate_pdf_signature(s, self.context(reader))
        except Exception as e:
            return m | {"error": f"{type(e).__name__}: {e}"}
        m |= {
            "intact": status.intact,
            "valid": status.valid,
            "trusted": status.trusted,
            "coverage": status.coverage.name,
            "modification": status.modification_level.name if status.modification_level else "",
            "docmdp": status.docmdp_ok,
            "summary": status.summary(),
        }
        if not stamp:
            m["bottom"] = status.bottom_line
        if isinstance(status.diff_result, SuspiciousModification):
            m["suspicious"] = str(status.diff_result)
        if not stamp and self.roots and not self.plain:
            m |= await self.ades(s)
        return m

    async def ades(self, s):
        """Validates by ETSI EN 319 102-1: now, with time, with archived validation data, and far in the future."""
        m = {}

        async def record(name, verdict):
            try:
                r = await verdict
                m[name] = f"{r.ades_subindic.status.name} {r.ades_subindic.name}" + (
                    f": {r.failure_msg}" if r.failure_msg else ""
                )
            except Exception as e:
                m[name] = f"{type(e).__name__}: {e}"

        spec = self.spec()
        inner, digest = spec.signature_validation_spec, s.compute_digest()
        far = datetime.now(timezone.utc) + FAR
        await record("basic", ades.ades_basic_validation(s.signed_data, inner, raw_digest=digest))
        await record("timed", ades.ades_with_time_validation(s.signed_data, inner, raw_digest=digest))
        await record("lta", ades.ades_lta_validation(s, spec))
        await record("far", ades.simulate_future_ades_lta_validation(s, spec, far))
        return m


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for flag in ("--trust", "--ocsp", "--crl"):
        parser.add_argument(flag, action="append", default=[])
    parser.add_argument("--password", default="")
    parser.add_argument("--plain", action="store_true", help="leave out the validation by EN 319 102-1")
    validator = Validator(parser.parse_args())
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        print(json.dumps(asyncio.run(validator.validate(line.rstrip("\n"))), default=str), flush=True)


if __name__ == "__main__":
    main()
