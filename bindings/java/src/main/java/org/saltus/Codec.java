package org.saltus;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Supplier;

/** A class that {@code saltus gen --lang java} made: what its messages are, to bytes and back. */
final class Codec<T> {
  final Class<T> type;
  final byte[] name;
  final long fingerprint;
  final byte[] schema;
  private final MethodHandle encode;
  private final MethodHandle decode;

  Codec(Class<T> type) {
    this.type = type;
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      name = Text.bytes((String) type.getField("NAME").get(null));
      fingerprint = type.getField("FINGERPRINT").getLong(null);
      schema = Text.bytes((String) type.getField("SCHEMA").get(null));
      encode =
          lookup
              .findVirtual(type, "encode", MethodType.methodType(byte[].class))
              .asType(MethodType.methodType(byte[].class, Object.class));
      decode =
          lookup
              .findStatic(type, "decode", MethodType.methodType(type, byte[].class))
              .asType(MethodType.methodType(Object.class, byte[].class));
    } catch (ReflectiveOperationException | ClassCastException | NullPointerException e) {
      String text = type.getName() + " is no public class made by `saltus gen --lang java`";
      throw new IllegalArgumentException(text, e);
    }
  }

  byte[] encode(T message) {
    try {
      Object checked = type.cast(message);
      return (byte[]) encode.invokeExact(checked);
    } catch (RuntimeException e) {
      throw cause(new SaltusException.EncodeFailed("a " + type.getName() + ": " + e), e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // encoding has no checked exceptions
    }
  }

  T decode(byte[] message, Supplier<String> channel) {
    try {
      Object decoded = (Object) decode.invokeExact(message);
      return type.cast(decoded);
    } catch (IOException e) {
      String text = "a message of channel `" + channel.get() + "`: " + e.getMessage();
      throw cause(new SaltusException.DecodeFailed(text), e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // decoding has no other checked exceptions
    }
  }

  private static SaltusException cause(SaltusException exception, Throwable cause) {
    exception.initCause(cause);
    return exception;
  }
}
