package interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lines is the protocol of a validator: it reads one path per line and writes one JSON object per line, flushed, so that
 * the caller knows which file crashed it.
 */
final class Lines {
  /** Validator validates one file and puts its verdict into the answer. */
  interface Validator {
    void validate(String path, Map<String, Object> answer) throws Exception;
  }

  static void answer(Validator validator) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // libraries print to System.out
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("file", path);
      try {
        validator.validate(path, answer);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        answer.put("error", e.getClass().getSimpleName() + ": " + e.getMessage());
      }
      out.write((json.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private Lines() {}
}
