package lcm.lcm;

import java.util.HashMap;
import java.util.Map;

/** A URL in parts: {@code protocol://network?key=value&key=value}. */
public class URLParser {
  private final Map<String, String> parts = new HashMap<>();

  /**
   * Takes a URL apart.
   *
   * @param url the URL
   * @throws IllegalArgumentException if it has no {@code ://}
   */
  public URLParser(String url) {
    int end = url.indexOf("://");
    if (end < 0) {
      String words = "expected, for example, udpm://239.255.76.67:7667?ttl=1 or shm://";
      throw new IllegalArgumentException("URLParser: Invalid URL: " + url + "; " + words);
    }
    parts.put("protocol", url.substring(0, end));
    // What follows a second question mark is ignored, as by LCM.
    String[] rest = url.substring(end + 3).split("\\?");
    if (rest.length > 0 && !rest[0].isEmpty()) {
      parts.put("network", rest[0]);
    }
    for (String option : rest.length < 2 ? new String[0] : rest[1].split("&")) {
      int equals = option.indexOf('=');
      if (equals > 0 && equals + 1 < option.length()) {
        parts.put(option.substring(0, equals), option.substring(equals + 1));
      } else if (!option.isEmpty()) {
        System.err.println("LCM: `" + option + "` in a URL is not key=value: it is ignored");
      }
    }
  }

  /** All parts. */
  Map<String, String> parts() {
    return parts;
  }

  /**
   * A part.
   *
   * @param key {@code protocol}, {@code network} or the key of an option
   * @return its value, or null
   */
  public String get(String key) {
    return parts.get(key);
  }

  /**
   * A part, if it is there.
   *
   * @param key the key
   * @param def the value otherwise
   * @return the value
   */
  public String get(String key, String def) {
    return parts.getOrDefault(key, def);
  }

  /**
   * A number, if it is there.
   *
   * @param key the key
   * @param def the value otherwise
   * @return the value
   * @throws NumberFormatException if it is not a number
   */
  public int get(String key, int def) {
    String value = get(key);
    return value == null ? def : Integer.parseInt(value);
  }

  /**
   * A truth value, if it is there.
   *
   * @param key the key
   * @param def the value otherwise
   * @return the value
   */
  public boolean get(String key, boolean def) {
    String value = get(key);
    return value == null ? def : Boolean.parseBoolean(value);
  }

  /**
   * A number, if it is there.
   *
   * @param key the key
   * @param def the value otherwise
   * @return the value
   * @throws NumberFormatException if it is not a number
   */
  public double get(String key, double def) {
    String value = get(key);
    return value == null ? def : Double.parseDouble(value);
  }
}
