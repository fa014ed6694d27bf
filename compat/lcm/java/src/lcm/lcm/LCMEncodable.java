package lcm.lcm;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** What generated classes implement. */
public interface LCMEncodable {
  /**
   * Writes the message, with its fingerprint.
   *
   * @param outs where to
   * @throws IOException if that fails
   */
  void encode(DataOutput outs) throws IOException;

  /**
   * Writes the fields alone.
   *
   * @param outs where to
   * @throws IOException if that fails
   */
  void _encodeRecursive(DataOutput outs) throws IOException;

  /**
   * Reads the fields alone.
   *
   * @param ins where from
   * @throws IOException if that fails, or the bytes are not such fields
   */
  void _decodeRecursive(DataInput ins) throws IOException;
}
