package org.saltus;

/**
 * What Saltus cannot do. The text says what, where, and what to do about it; {@link #code()} is the
 * number that all languages have for it.
 *
 * <p>Misuse that Java has exceptions of its own for gets those: {@link IllegalStateException} for
 * what is closed, or in use by another thread, {@link NullPointerException}, {@link
 * IllegalArgumentException} and {@link IndexOutOfBoundsException}.
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
   * @return a number of the page on error codes, above 0
   */
  public int code() {
    return code;
  }

  /** The exception of that number. */
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

  /** There is no channel, log or subscription of that name. */
  public static final class NotFound extends SaltusException {
    private static final long serialVersionUID = 1;

    NotFound(String text) {
      super(1, text);
    }
  }

  /** There is a channel, or a file, of that name already. */
  public static final class Exists extends SaltusException {
    private static final long serialVersionUID = 1;

    Exists(String text) {
      super(2, text);
    }
  }

  /** The buffer is too small for the message, which is kept: receive again, into a larger one. */
  public static final class TooSmall extends SaltusException {
    private static final long serialVersionUID = 1;

    TooSmall(String text) {
      super(3, text);
    }
  }

  /** The message is longer than the channel's limit, or than the transport carries. */
  public static final class TooLong extends SaltusException {
    private static final long serialVersionUID = 1;

    TooLong(String text) {
      super(4, text);
    }
  }

  /** Publishers overtook the reader at every try; it keeps its place. Call again. */
  public static final class Overrun extends SaltusException {
    private static final long serialVersionUID = 1;

    Overrun(String text) {
      super(5, text);
    }
  }

  /** The wait was canceled, or its thread interrupted. */
  public static final class Canceled extends SaltusException {
    private static final long serialVersionUID = 1;

    Canceled(String text) {
      super(6, text);
    }
  }

  /** The channel was removed or replaced, or its files were deleted. Open it anew. */
  public static final class Retired extends SaltusException {
    private static final long serialVersionUID = 1;

    Retired(String text) {
      super(7, text);
    }
  }

  /** Permissions forbid it. */
  public static final class Denied extends SaltusException {
    private static final long serialVersionUID = 1;

    Denied(String text) {
      super(8, text);
    }
  }

  /** The memory, or the room on the disk, cannot be had. */
  public static final class NoSpace extends SaltusException {
    private static final long serialVersionUID = 1;

    NoSpace(String text) {
      super(9, text);
    }
  }

  /** The channel has as many publishers as it can have. */
  public static final class TooManyPublishers extends SaltusException {
    private static final long serialVersionUID = 1;

    TooManyPublishers(String text) {
      super(10, text);
    }
  }

  /** What lies there is no channel, or one of another version. */
  public static final class Damaged extends SaltusException {
    private static final long serialVersionUID = 1;

    Damaged(String text) {
      super(11, text);
    }
  }

  /** An argument makes no sense: a name, a URL, an attribute. */
  public static final class Invalid extends SaltusException {
    private static final long serialVersionUID = 1;

    Invalid(String text) {
      super(12, text);
    }
  }

  /** The system refused for a reason of its own. */
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

  /** This transport, or this kind of domain, cannot do it. */
  public static final class Unsupported extends SaltusException {
    private static final long serialVersionUID = 1;

    Unsupported(String text) {
      super(101, text);
    }
  }

  /** A channel has messages of another type. Told once a channel and type; call again. */
  public static final class WrongType extends SaltusException {
    private static final long serialVersionUID = 1;

    WrongType(String text) {
      super(103, text);
    }
  }

  /** A message cannot be encoded: sizes that are not those of the arrays, and such. */
  public static final class EncodeFailed extends SaltusException {
    private static final long serialVersionUID = 1;

    EncodeFailed(String text) {
      super(104, text);
    }
  }

  /** A message is damaged, or not as it was sent. The next ones are as good as ever. */
  public static final class DecodeFailed extends SaltusException {
    private static final long serialVersionUID = 1;

    DecodeFailed(String text) {
      super(105, text);
    }
  }

  /** There will be nothing more: a log that is read as a domain has come to its end. */
  public static final class Ended extends SaltusException {
    private static final long serialVersionUID = 1;

    Ended(String text) {
      super(106, text);
    }
  }

  /** The network does not do what is needed. */
  public static final class Network extends SaltusException {
    private static final long serialVersionUID = 1;

    Network(String text) {
      super(107, text);
    }
  }

  /** The URL's provider is unknown, or not in this build. */
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

  /** The message cannot be in a log of this format; the log is as it was. */
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
