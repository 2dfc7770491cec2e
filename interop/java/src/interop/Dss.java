package interop;

import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.PDFRevisionWrapper;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.diagnostic.jaxb.XmlObjectModification;
import eu.europa.esig.dss.enumerations.TimestampType;
import eu.europa.esig.dss.enumerations.ValidationLevel;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.policy.ValidationPolicy;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.pades.validation.PDFDocumentValidator;
import eu.europa.esig.dss.policy.ValidationPolicyFacade;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.spi.x509.revocation.crl.ExternalResourcesCRLSource;
import eu.europa.esig.dss.spi.x509.revocation.ocsp.ExternalResourcesOCSPSource;
import eu.europa.esig.dss.validation.executor.signature.DefaultSignatureProcessExecutor;
import eu.europa.esig.dss.validation.reports.Reports;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Dss validates signatures with the EU's Digital Signature Service. Usage: Dss [--trust CERTIFICATE] [--ocsp RESPONSE]
 * [--crl LIST] [--password WORD] [--extended YEAR]..., files on standard input. It does not use the network: revocation data
 * is in the file or in the arguments. With --extended it answers a second time, by the policy of DSS in which each algorithm
 * that has not ended yet ends in that year.
 */
public final class Dss {
  private final CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
  private final List<DSSDocument> ocsp = new ArrayList<>();
  private final List<DSSDocument> crl = new ArrayList<>();
  private String password = "";
  private ValidationPolicy extended;

  public static void main(String[] args) throws Exception {
    Dss dss = new Dss();
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "--trust" -> dss.trusted.addCertificate(DSSUtils.loadCertificate(new File(args[i + 1])));
        case "--ocsp" -> dss.ocsp.add(new FileDocument(args[i + 1]));
        case "--crl" -> dss.crl.add(new FileDocument(args[i + 1]));
        case "--password" -> dss.password = args[i + 1];
        case "--extended" -> dss.extended = extend(args[i + 1]);
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    Lines.answer(dss::validate);
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

  private static final Pattern END = Pattern.compile("(<Algo[^>]* Date=\")([0-9-]{10})(\")");

  /** extend returns the policy of DSS with other end dates of algorithms that have not ended yet, and nothing else changed. */
  private static ValidationPolicy extend(String year) throws Exception {
    String today = LocalDate.now().toString();
    try (InputStream in = ValidationPolicyFacade.class.getResourceAsStream("/policy/constraint.xml")) {
      String policy = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      String changed = END.matcher(policy).replaceAll(m -> m.group(2).compareTo(today) < 0 ? m.group() : m.group(1) + year + "-01-01" + m.group(3));
      if (changed.equals(policy)) {
        throw new IllegalStateException("the policy of DSS has no end dates");
      }
      return ValidationPolicyFacade.newFacade().getValidationPolicy(new ByteArrayInputStream(changed.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private void validate(String path, Instant at, Map<String, Object> answer) {
    PDFDocumentValidator validator = new PDFDocumentValidator(new FileDocument(path));
    validator.setCertificateVerifier(verifier());
    validator.setPasswordProtection(password.toCharArray());
    if (at != null) {
      validator.setValidationTime(Date.from(at));
    }
    Reports reports = validator.validateDocument();
    answer.put("signatures", list(reports));
    if (extended != null) { // the same facts by another policy
      DefaultSignatureProcessExecutor again = new DefaultSignatureProcessExecutor();
      again.setDiagnosticData(reports.getDiagnosticDataJaxb());
      again.setCurrentTime(reports.getDiagnosticData().getValidationDate());
      again.setValidationPolicy(extended);
      again.setValidationLevel(ValidationLevel.ARCHIVAL_DATA);
      answer.put("extended", list(again.execute()));
    }
  }

  private static List<Map<String, Object>> list(Reports reports) {
    SimpleReport simple = reports.getSimpleReport();
    DiagnosticData data = reports.getDiagnosticData();
    List<Map<String, Object>> signatures = new ArrayList<>();
    for (SignatureWrapper s : data.getSignatures()) {
      Map<String, Object> m = seen(s.getPDFRevision());
      m.put("kind", "signature");
      m.put("digest", s.getDigestMatchers().stream().allMatch(d -> d.isDataFound() && d.isDataIntact()));
      m.put("valid", s.isSignatureIntact() && s.isSignatureValid());
      m.put("level", String.valueOf(simple.getSignatureFormat(s.getId())));
      Date best = simple.getBestSignatureTime(s.getId());
      m.put("proven", best == null ? "" : best.toInstant().toString());
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
    return signatures;
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
