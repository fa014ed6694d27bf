package org.saltus;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Converts names between bytes and strings. Names are bytes, usually UTF-8. A byte that is not
 * valid UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF, and converts back to the same byte.
 */
final class Text {
  private static final int SURROGATE = 0xdc00;

  private Text() {}

  static byte[] bytes(String text) {
    ByteBuffer out = ByteBuffer.allocate(3 * text.length());
    int done = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
      if (c >= SURROGATE + 0x80 && c <= SURROGATE + 0xff && !pair) {
        out.put(utf8(text.substring(done, i))).put((byte) c);
        done = i + 1;
      }
    }
    out.put(utf8(text.substring(done)));
    byte[] bytes = new byte[out.position()];
    ((java.nio.Buffer) out).flip();
    out.get(bytes);
    return bytes;
  }

  private static ByteBuffer utf8(String text) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("half of a surrogate pair stands alone in a name", e);
    }
  }

  static String of(byte[] bytes) {
    return of(bytes, bytes.length);
  }

  static String of(byte[] bytes, int length) {
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
    CharBuffer out = CharBuffer.allocate(length);
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    for (; ; ) {
      CoderResult result = decoder.decode(in, out, true);
      if (!result.isError()) {
        ((java.nio.Buffer) out).flip();
        return out.toString();
      }
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (SURROGATE | in.get() & 0xff));
      }
    }
  }

  /** Decodes names, with a number each, as the native library encodes them. */
  static Map<String, Long> list(byte[] bytes) {
    Map<String, Long> names = new LinkedHashMap<>();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    while (in.hasRemaining()) {
      byte[] name = new byte[in.getInt()];
      long number = in.getLong();
      in.get(name);
      names.put(of(name), number);
    }
    return names;
  }
}
