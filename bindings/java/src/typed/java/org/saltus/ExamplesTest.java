package org.saltus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples, as they stand. */
class ExamplesTest {
  private static List<String> example(String name, String... args) throws Exception {
    return Support.java(Class.forName(name), args);
  }

  @Test
  void publishNewestAndNext() throws Exception {
    try (Support support = new Support()) {
      // Deep enough that nothing is overwritten while the examples start.
      String url = support.url + "?depth=1024";
      Process newest = started(example("Newest", url, "10"));
      Process next = started(example("Next", url, "20"));
      String said = Support.run(example("Publish", url, "500"));
      assertEquals("", said);
      String first = rest(newest).get(0);
      assertTrue(first.matches("tilt [0-9.]+, [0-9]+ µs old"), first);
      List<String> all = rest(next);
      assertEquals(20, all.size());
      assertTrue(all.get(0).endsWith("missed: 0"), all.get(0));
    }
  }

  private static Process started(List<String> line) throws IOException {
    return new ProcessBuilder(line).redirectErrorStream(true).start();
  }

  private static List<String> rest(Process process) throws Exception {
    List<String> lines = new ArrayList<>();
    BufferedReader out = Support.reader(process);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      lines.add(line);
    }
    assertFalse(String.join("\n", lines).contains("in native method"));
    assertEquals(0, process.waitFor(), String.join("\n", lines));
    return lines;
  }

  @Test
  void waitOnTwo() throws Exception {
    assertEquals("the pose\nthe scan", Support.run(example("WaitTwo")));
  }

  @Test
  void typed() throws Exception {
    assertEquals("1 0.5", Support.run(example("Typed")));
  }

  @Test
  void log(@TempDir Path directory) throws Exception {
    String said = Support.run(example("Log", directory.resolve("robot.mcap").toString()));
    assertEquals("100 events; after half a second x is 0.5", said);
  }
}
