package interop;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Vera checks with veraPDF whether files conform to the PDF/A flavour that they claim. */
public final class Vera {
  public static void main(String[] args) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    Lines.answer((path, at, answer) -> {
      try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(path));
          PDFAValidator validator = Foundries.defaultInstance().createValidator(parser.getFlavour(), false)) {
        ValidationResult result = validator.validate(parser);
        answer.put("flavour", parser.getFlavour().getId());
        answer.put("compliant", result.isCompliant());
        List<String> failed = new ArrayList<>();
        for (TestAssertion a : result.getTestAssertions()) {
          String line = a.getRuleId().getClause() + "-" + a.getRuleId().getTestNumber() + ": " + a.getMessage();
          if (a.getStatus() == TestAssertion.Status.FAILED && !failed.contains(line)) {
            failed.add(line);
          }
        }
        answer.put("failed", failed);
      }
    });
  }

  private Vera() {}
}
