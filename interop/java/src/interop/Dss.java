package interop;

import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.PDFRevisionWrapper;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.diagnostic.jaxb.XmlObjectModification;
import eu.europa.esig.dss.enumerations.TimestampType;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.pades.validation.PDFDocumentValidator;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.spi.x509.revocation.crl.ExternalResourcesCRLSource;
import eu.europa.esig.dss.spi.x509.revocation.ocsp.ExternalResourcesOCSPSource;
import eu.europa.esig.dss.validation.reports.Reports;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dss asks the EU's Digital Signature Service about signatures. Usage: Dss [--trust CERTIFICATE] [--ocsp RESPONSE]
 * [--crl LIST] [--password WORD]..., files on standard input. It never touches the network: proof of good standing is in
 * the file, or was given.
 */
public final class Dss {
  private final CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
  private final List<DSSDocument> ocsp = new ArrayList<>();
  private final List<DSSDocument> crl = new ArrayList<>();
  private String password = "";

  public static void main(String[] args) throws Exception {
    Dss dss = new Dss();
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "--trust" -> dss.trusted.addCertificate(DSSUtils.loadCertificate(new File(args[i + 1])));
        case "--ocsp" -> dss.ocsp.add(new FileDocument(args[i + 1]));
        case "--crl" -> dss.crl.add(new FileDocument(args[i + 1]));
        case "--password" -> dss.password = args[i + 1];
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    Lines.answer(dss::judge);
  }

  private CommonCertificateVerifier verifier() {
    CommonCertificateVerifier v = new CommonCertificateVerifier();
    v.setTrustedCertSources(trusted);
    v.setAIASource(null);
    if (!ocsp.isEmpty()) {
      v.setOcspSource(new ExternalResourcesOCSPSource(ocsp.toArray(DSSDocument[]::new)));
    }
    if (!crl.isEmpty()) {
      v.setCrlSource(new ExternalResourcesCRLSource(crl.toArray(DSSDocument[]::new)));
    }
    return v;
  }

  private void judge(String path, Map<String, Object> answer) {
    PDFDocumentValidator validator = new PDFDocumentValidator(new FileDocument(path));
    validator.setCertificateVerifier(verifier());
    validator.setPasswordProtection(password.toCharArray());
    Reports reports = validator.validateDocument();
    SimpleReport simple = reports.getSimpleReport();
    DiagnosticData data = reports.getDiagnosticData();
    List<Map<String, Object>> signatures = new ArrayList<>();
    for (SignatureWrapper s : data.getSignatures()) {
      Map<String, Object> m = seen(s.getPDFRevision());
      m.put("kind", "signature");
      m.put("digest", s.getDigestMatchers().stream().allMatch(d -> d.isDataFound() && d.isDataIntact()));
      m.put("valid", s.isSignatureIntact() && s.isSignatureValid());
      m.put("level", String.valueOf(simple.getSignatureFormat(s.getId())));
      told(m, simple, s.getId());
      signatures.add(m);
    }
    for (TimestampWrapper t : data.getTimestampList()) {
      if (t.getType() != TimestampType.DOCUMENT_TIMESTAMP) {
        continue;
      }
      Map<String, Object> m = seen(t.getPDFRevision());
      m.put("kind", "timestamp");
      m.put("digest", t.isMessageImprintDataFound() && t.isMessageImprintDataIntact());
      m.put("valid", t.isSignatureIntact() && t.isSignatureValid());
      told(m, simple, t.getId());
      signatures.add(m);
    }
    answer.put("signatures", signatures);
  }

  /** seen is what the file says: the field, its byte range, and what later revisions did. */
  private static Map<String, Object> seen(PDFRevisionWrapper r) {
    Map<String, Object> m = new LinkedHashMap<>();
    if (r == null) {
      return m;
    }
    m.put("field", r.getFirstFieldName());
    m.put("fields", r.getSignatureFieldNames());
    m.put("range", r.getSignatureByteRange());
    m.put("rangeValid", r.isSignatureByteRangeValid());
    m.put("consistent", r.isPdfSignatureDictionaryConsistent());
    m.put("modified", r.arePdfModificationsDetected());
    m.put("extension", objects(r.getPdfExtensionChanges()));
    m.put("fill", objects(r.getPdfSignatureOrFormFillChanges()));
    m.put("permission", r.getDocMDPPermissions() == null ? 0 : r.getDocMDPPermissions().getCode());
    m.put("annotation", objects(r.getPdfAnnotationChanges()));
    m.put("undefined", objects(r.getPdfUndefinedChanges()));
    m.put("overlap", r.getPdfAnnotationsOverlapConcernedPages());
    m.put("visual", r.getPdfVisualDifferenceConcernedPages());
    m.put("pages", r.getPdfPageDifferenceConcernedPages());
    return m;
  }

  private static List<String> objects(List<XmlObjectModification> changes) {
    return changes.stream().map(c -> c.getAction() + " " + c.getValue()).toList();
  }

  /** told is the verdict: indication, sub-indication and what led to them. */
  private static void told(Map<String, Object> m, SimpleReport simple, String id) {
    m.put("indication", String.valueOf(simple.getIndication(id)));
    m.put("sub", simple.getSubIndication(id) == null ? "" : simple.getSubIndication(id).toString());
    m.put("errors", simple.getAdESValidationErrors(id).stream().map(Message::getValue).toList());
    m.put("warnings", simple.getAdESValidationWarnings(id).stream().map(Message::getValue).toList());
  }
}
