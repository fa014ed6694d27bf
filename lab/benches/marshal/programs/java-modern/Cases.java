import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/** Our classes, which encode into a buffer of the caller's. */
final class Cases {
    private Cases() {}

    /** Decodes a message into a new object. */
    interface Decoder<T> {
        T decode(byte[] message) throws Exception;
    }

    /** Encodes a message. */
    interface Encoder<T> {
        void encode(T message, ByteBuffer to) throws Exception;
    }

    static Map<String, Measure.Maker> all() {
        Map<String, Measure.Maker> all = new LinkedHashMap<>();
        all.put("scan", message -> new Of<>(message, bench.laser_t::decode, bench.laser_t::encode));
        all.put("joints", message -> new Of<>(message, bench.joints_t::decode, bench.joints_t::encode));
        all.put("image", message -> new Of<>(message, bench.image_t::decode, bench.image_t::encode));
        all.put("cloud", message -> new Of<>(message, bench.cloud_t::decode, bench.cloud_t::encode));
        all.put("path", message -> new Of<>(message, bench.path_t::decode, bench.path_t::encode));
        return all;
    }

    private static final class Of<T> implements Measure.Case {
        private final byte[] message;
        private final Decoder<T> decoder;
        private final Encoder<T> encoder;
        private final T decoded;
        private final ByteBuffer out;

        Of(byte[] message, Decoder<T> decoder, Encoder<T> encoder) throws Exception {
            this.message = message;
            this.decoder = decoder;
            this.encoder = encoder;
            this.decoded = decoder.decode(message);
            this.out = ByteBuffer.allocate(message.length);
        }

        @Override
        public int encode() throws Exception {
            out.clear();
            encoder.encode(decoded, out);
            return out.position();
        }

        @Override
        public Object decode() throws Exception {
            return decoder.decode(message);
        }

        @Override
        public byte[] encoded() {
            return out.array();
        }
    }
}
