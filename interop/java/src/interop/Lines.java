package interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lines is how a judge talks: a path a line comes in, a JSON object a line goes out, flushed, so that whoever asks knows
 * which file a judge died of.
 */
final class Lines {
  /** Judge looks at one file and puts what it thinks into the answer. */
  interface Judge {
    void judge(String path, Map<String, Object> answer) throws Exception;
  }

  static void answer(Judge judge) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // libraries print what they like
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("file", path);
      try {
        judge.judge(path, answer);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        answer.put("error", e.getClass().getSimpleName() + ": " + e.getMessage());
      }
      out.write((json.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }

  private Lines() {}
}
