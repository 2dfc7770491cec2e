package interop;

import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureLevel;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.SignatureValue;
import eu.europa.esig.dss.model.ToBeSigned;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.pades.PAdESSignatureParameters;
import eu.europa.esig.dss.pades.signature.PAdESService;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import java.io.FileInputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;

/**
 * Cost measures the processor time of one of many invisible PAdES signatures by DSS, and of the key alone. Usage: Cost FILE
 * KEY CHAIN TIMES WARM. It prints seconds as JSON. What is measured is the signing thread, after WARM signatures: the
 * compiler and the collector, which a service pays for too, are let off.
 */
public final class Cost {
  private interface Step {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    DSSDocument file = new FileDocument(args[0]);
    List<CertificateToken> chain = chain(args[2]);
    String kind = chain.get(0).getPublicKey().getAlgorithm();
    PrivateKey key = key(kind, Path.of(args[1]));
    int times = Integer.parseInt(args[3]);
    int warm = Integer.parseInt(args[4]);
    double signature = measure(warm, times, () -> sign(file, key, chain).writeTo(OutputStream.nullOutputStream()));
    double alone = measure(500, 500, () -> value(key, new byte[100]));
    System.out.println("{\"signature\": " + signature + ", \"key\": " + alone + "}");
  }

  private static double measure(int warm, int times, Step step) throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int i = 0; i < warm; i++) {
      step.run();
    }
    long before = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < times; i++) {
      step.run();
    }
    return (threads.getCurrentThreadCpuTime() - before) / 1e9 / times;
  }

  private static SignatureValue value(PrivateKey key, byte[] attributes) throws Exception {
    boolean rsa = key.getAlgorithm().equals("RSA");
    Signature s = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
    s.initSign(key);
    s.update(attributes);
    return new SignatureValue(rsa ? SignatureAlgorithm.RSA_SHA256 : SignatureAlgorithm.ECDSA_SHA256, s.sign());
  }

  private static DSSDocument sign(DSSDocument file, PrivateKey key, List<CertificateToken> chain) throws Exception {
    PAdESSignatureParameters p = new PAdESSignatureParameters();
    p.setSignatureLevel(SignatureLevel.PAdES_BASELINE_B);
    p.setDigestAlgorithm(DigestAlgorithm.SHA256);
    p.setSigningCertificate(chain.get(0));
    p.setCertificateChain(chain);
    p.bLevel().setSigningDate(new Date());
    PAdESService service = new PAdESService(new CommonCertificateVerifier());
    ToBeSigned attributes = service.getDataToSign(file, p);
    return service.signDocument(file, p, value(key, attributes.getBytes()));
  }

  private static PrivateKey key(String kind, Path pem) throws Exception {
    String base64 = Files.readString(pem).replaceAll("-----[^-]*-----|\\s", "");
    return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
  }

  private static List<CertificateToken> chain(String pem) throws Exception {
    List<CertificateToken> chain = new ArrayList<>();
    try (FileInputStream in = new FileInputStream(pem)) {
      for (Certificate c : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        chain.add(new CertificateToken((X509Certificate) c));
      }
    }
    return chain;
  }

  private Cost() {}
}
