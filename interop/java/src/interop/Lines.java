package interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lines is the protocol of a validator: it reads one path per line, or an object with file and at, the time of validation, and
 * writes one JSON object per line, flushed, so that the caller knows which file crashed it.
 */
final class Lines {
  /** Validator validates one file as of a time, or of now if it is null, and puts its verdict into the answer. */
  interface Validator {
    void validate(String path, Instant at, Map<String, Object> answer) throws Exception;
  }

  static void answer(Validator validator) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // libraries print to System.out
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, Object> answer = new LinkedHashMap<>();
      String path = line;
      Instant at = null;
      if (line.startsWith("{")) {
        JsonNode query = json.readTree(line);
        path = query.get("file").asText();
        at = Instant.parse(query.get("at").asText());
      }
      answer.put("file", path);
      try {
        validator.validate(path, at, answer);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        answer.put("error", e.getClass().getSimpleName() + ": " + e.getMessage());
      }
      out.write((json.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private Lines() {}
}
