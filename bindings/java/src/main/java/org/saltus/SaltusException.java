package org.saltus;

/**
 * An error of Saltus. Its message names the error, its place and its remedy. {@link #code()} is the
 * error's number, which is the same in all languages.
 *
 * <p>Misuse throws Java's own exceptions: {@link IllegalStateException} if an object is closed or
 * in use by another thread, {@link NullPointerException}, {@link IllegalArgumentException} and
 * {@link IndexOutOfBoundsException}.
 */
public class SaltusException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;

  SaltusException(int code, String text) {
    super(text);
    this.code = code;
  }

  /**
   * The stable number of the error.
   *
   * @return the number, above 0, as in the documentation of error codes
   */
  public int code() {
    return code;
  }

  /** Makes the exception of an error number. */
  static SaltusException of(int code, String text) {
    switch (code) {
      case 1:
        return new NotFound(text);
      case 2:
        return new Exists(text);
      case 3:
        return new TooSmall(text);
      case 4:
        return new TooLong(text);
      case 5:
        return new Overrun(text);
      case 6:
        return new Canceled(text);
      case 7:
        return new Retired(text);
      case 8:
        return new Denied(text);
      case 9:
        return new NoSpace(text);
      case 10:
        return new TooManyPublishers(text);
      case 11:
        return new Damaged(text);
      case 12:
        return new Invalid(text);
      case 13:
        return new System(text);
      case 100:
        return new Bug(text);
      case 101:
        return new Unsupported(text);
      case 103:
        return new WrongType(text);
      case 104:
        return new EncodeFailed(text);
      case 105:
        return new DecodeFailed(text);
      case 106:
        return new Ended(text);
      case 107:
        return new Network(text);
      case 108:
        return new NoProvider(text);
      case 109:
        return new NotALog(text);
      case 110:
        return new Unwritable(text);
      case 111:
        return new Changed(text);
      default:
        return new SaltusException(code, text);
    }
  }

  /** No channel, log or subscription has that name. */
  public static final class NotFound extends SaltusException {
    private static final long serialVersionUID = 1;

    NotFound(String text) {
      super(1, text);
    }
  }

  /** A channel or a file of that name already exists. */
  public static final class Exists extends SaltusException {
    private static final long serialVersionUID = 1;

    Exists(String text) {
      super(2, text);
    }
  }

  /** The buffer is too small. The message is kept: receive it again into a larger buffer. */
  public static final class TooSmall extends SaltusException {
    private static final long serialVersionUID = 1;

    TooSmall(String text) {
      super(3, text);
    }
  }

  /** The message is longer than the limit of the channel or of the transport. */
  public static final class TooLong extends SaltusException {
    private static final long serialVersionUID = 1;

    TooLong(String text) {
      super(4, text);
    }
  }

  /** Publishers overwrote each message while it was read. The position is kept: call again. */
  public static final class Overrun extends SaltusException {
    private static final long serialVersionUID = 1;

    Overrun(String text) {
      super(5, text);
    }
  }

  /** The wait was canceled, or its thread was interrupted. */
  public static final class Canceled extends SaltusException {
    private static final long serialVersionUID = 1;

    Canceled(String text) {
      super(6, text);
    }
  }

  /** The channel was removed or replaced, or its files were deleted. Open it again. */
  public static final class Retired extends SaltusException {
    private static final long serialVersionUID = 1;

    Retired(String text) {
      super(7, text);
    }
  }

  /** You do not have permission. */
  public static final class Denied extends SaltusException {
    private static final long serialVersionUID = 1;

    Denied(String text) {
      super(8, text);
    }
  }

  /** There is not enough memory or disk space. */
  public static final class NoSpace extends SaltusException {
    private static final long serialVersionUID = 1;

    NoSpace(String text) {
      super(9, text);
    }
  }

  /** The channel already has its maximum number of publishers. */
  public static final class TooManyPublishers extends SaltusException {
    private static final long serialVersionUID = 1;

    TooManyPublishers(String text) {
      super(10, text);
    }
  }

  /** The file is not a channel, is damaged, or has another version. */
  public static final class Damaged extends SaltusException {
    private static final long serialVersionUID = 1;

    Damaged(String text) {
      super(11, text);
    }
  }

  /** An argument is not valid: a name, a URL or an attribute. */
  public static final class Invalid extends SaltusException {
    private static final long serialVersionUID = 1;

    Invalid(String text) {
      super(12, text);
    }
  }

  /** The operating system reported an error that has no other class here. */
  public static final class System extends SaltusException {
    private static final long serialVersionUID = 1;

    System(String text) {
      super(13, text);
    }
  }

  /** A bug in Saltus. Please report it. */
  public static final class Bug extends SaltusException {
    private static final long serialVersionUID = 1;

    Bug(String text) {
      super(100, text);
    }
  }

  /** This transport, or this kind of domain, does not support the operation. */
  public static final class Unsupported extends SaltusException {
    private static final long serialVersionUID = 1;

    Unsupported(String text) {
      super(101, text);
    }
  }

  /** A channel has messages of another type. Thrown once per channel and type; call again. */
  public static final class WrongType extends SaltusException {
    private static final long serialVersionUID = 1;

    WrongType(String text) {
      super(103, text);
    }
  }

  /** A message cannot be encoded, for example because a size field differs from its array. */
  public static final class EncodeFailed extends SaltusException {
    private static final long serialVersionUID = 1;

    EncodeFailed(String text) {
      super(104, text);
    }
  }

  /** A message is damaged and cannot be decoded. Later messages are not affected. */
  public static final class DecodeFailed extends SaltusException {
    private static final long serialVersionUID = 1;

    DecodeFailed(String text) {
      super(105, text);
    }
  }

  /** A log that is read as a domain has ended. No more messages will arrive. */
  public static final class Ended extends SaltusException {
    private static final long serialVersionUID = 1;

    Ended(String text) {
      super(106, text);
    }
  }

  /** The network reported an error, or lacks a needed function. */
  public static final class Network extends SaltusException {
    private static final long serialVersionUID = 1;

    Network(String text) {
      super(107, text);
    }
  }

  /** The URL's provider is unknown, or is not in this build. */
  public static final class NoProvider extends SaltusException {
    private static final long serialVersionUID = 1;

    NoProvider(String text) {
      super(108, text);
    }
  }

  /** The file is not a log of a known format. */
  public static final class NotALog extends SaltusException {
    private static final long serialVersionUID = 1;

    NotALog(String text) {
      super(109, text);
    }
  }

  /** A log of this format cannot hold the message. The log does not change. */
  public static final class Unwritable extends SaltusException {
    private static final long serialVersionUID = 1;

    Unwritable(String text) {
      super(110, text);
    }
  }

  /** The log was changed since it was opened. Open it again. */
  public static final class Changed extends SaltusException {
    private static final long serialVersionUID = 1;

    Changed(String text) {
      super(111, text);
    }
  }
}
