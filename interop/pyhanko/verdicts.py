"""Validates signatures with pyHanko.

Usage: verdicts.py [--plain] [--trust CERTIFICATE] [--ocsp RESPONSE] [--crl LIST] [--password WORD]...

It reads one path per line from standard input, or an object with file and at, the time of validation, and writes one JSON
object per line, flushed, so that the caller knows which file crashed it. It does not use the network: revocation data is in the
file or in the arguments. As of a time, the authority of the newest timestamp is taken to be not revoked.
"""

import argparse
import asyncio
import json
import logging
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unittest import mock

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
from pyhanko_certvalidator.ltv import ades_past, poe
from pyhanko_certvalidator.ltv.types import ValidationTimingInfo
from pyhanko_certvalidator.policy_decl import REQUIRE_REVINFO, CertRevTrustPolicy, NonRevokedStatusAssertion
from pyhanko_certvalidator.registry import SimpleTrustManager
from pyhanko_certvalidator.revinfo.archival import CRLContainer, OCSPContainer

# FAR is how long after signing a B-LTA file must still validate: all our certificates except the root have expired then.
FAR = timedelta(days=365 * 12)


class Moment(datetime):
    """Replaces the clock in the modules of the library that ask it for the time although a time of validation was given:
    those that register proofs of existence, and that validate past signatures."""

    at = None

    @classmethod
    def now(cls, tz=None):
        return cls.at or datetime.now(tz)


for module in (ades, ades_past, poe):
    module.datetime = Moment


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

    def spec(self, not_revoked=()):
        """Roots and revocation data for the validation with time; pyHanko reads the file's store itself."""
        anchors = SimpleTrustManager.build(trust_roots=[CertTrustAnchor(r) for r in self.roots])
        knowledge = LocalKnowledge(
            known_ocsps=[c for o in self.ocsps for c in OCSPContainer.load_multi(o)],
            known_crls=[CRLContainer(c) for c in self.crls],
            nonrevoked_assertions=list(not_revoked),
        )
        return PdfSignatureValidationSpec(
            SignatureValidationSpec(
                cert_validation_policy=CertValidationPolicySpec(anchors, revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO)),
                revinfo_gathering_policy=RevocationInfoGatheringSpec(RevinfoOnlineFetchingRule.LOCAL_ONLY),
                local_knowledge=knowledge,
            )
        )

    async def validate(self, path, at=None):
        answer = {"file": path}
        try:
            with open(path, "rb") as f:
                # Strict reading refuses hybrid files, and files with defects that all readers accept.
                reader = PdfFileReader(f, strict=False)
                if reader.encrypted and reader.decrypt(self.password).status == AuthStatus.FAILED:
                    raise PermissionError("password needed")
                answer["signatures"] = [
                    await (self.signature(reader, s) if at is None else self.as_of(s, at))
                    for s in reader.embedded_signatures
                ]
        except Exception as e:  # an exception is the verdict
            answer["error"] = f"{type(e).__name__}: {e}"
        return answer

    async def as_of(self, s, at):
        """Validates by ETSI EN 319 102-1 §5.6 as of a time. Document timestamps are validated as part of each signature."""
        s.compute_integrity_info()
        seen = s.summarise_integrity_info()
        m = {"field": s.field_name, "kind": "signature", "docmdp": seen.get("docmdp_ok"), "coverage": seen["coverage"].name}
        if s.sig_object_type == "/DocTimeStamp":
            return m | {"kind": "timestamp"}
        moment = ValidationTimingInfo(validation_time=at, best_signature_time=at, point_in_time_validation=True)
        # It wants the present status of the newest timestamp's authority, which is not in the file, and makes the same assertion
        # for simulated times.
        newest = s.reader.embedded_timestamp_signatures[-1:]
        spec = self.spec(NonRevokedStatusAssertion(t.signer_cert.sha256, at=at) for t in newest)
        with mock.patch.object(Moment, "at", at):
            r = await ades.ades_lta_validation(s, spec, timing_info=moment)
        m["lta"] = f"{r.ades_subindic.status.name} {r.ades_subindic.name}" + (f": {r.failure_msg}" if r.failure_msg else "")
        m["proven"] = r.best_signature_time.isoformat() if r.best_signature_time else ""
        return m

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
        path, at = line.rstrip("\n"), None
        if path.startswith("{"):
            query = json.loads(path)
            path, at = query["file"], datetime.fromisoformat(query["at"])
        print(json.dumps(asyncio.run(validator.validate(path, at)), default=str), flush=True)


if __name__ == "__main__":
    main()
