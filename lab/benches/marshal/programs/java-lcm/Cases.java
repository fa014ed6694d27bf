import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import lcm.lcm.LCMDataOutputStream;
import lcm.lcm.LCMEncodable;

/** Classes that LCM's library can publish: LCM's own, and ours in LCM style. Encoded as LCM's library does it. */
final class Cases {
    private Cases() {}

    /** Decodes a message into a new object. */
    interface Decoder {
        LCMEncodable decode(byte[] message) throws Exception;
    }

    static Map<String, Measure.Maker> all() {
        Map<String, Measure.Maker> all = new LinkedHashMap<>();
        all.put("scan", message -> new Of(message, bench.laser_t::new));
        all.put("joints", message -> new Of(message, bench.joints_t::new));
        all.put("image", message -> new Of(message, bench.image_t::new));
        all.put("cloud", message -> new Of(message, bench.cloud_t::new));
        all.put("path", message -> new Of(message, bench.path_t::new));
        return all;
    }

    private static final class Of implements Measure.Case {
        private final byte[] message;
        private final Decoder decoder;
        private final LCMEncodable decoded;
        private final LCMDataOutputStream out;

        Of(byte[] message, Decoder decoder) throws Exception {
            this.message = message;
            this.decoder = decoder;
            this.decoded = decoder.decode(message);
            this.out = new LCMDataOutputStream(new byte[message.length]);
        }

        @Override
        public int encode() throws Exception {
            out.reset();
            decoded.encode(out);
            return out.size();
        }

        @Override
        public Object decode() throws Exception {
            return decoder.decode(message);
        }

        @Override
        public byte[] encoded() {
            return Arrays.copyOf(out.getBuffer(), out.size());
        }
    }
}
