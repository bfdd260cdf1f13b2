/**
 * SHA-256 (FIPS 180-4) in code of our own: a program may put a provider of security before those of Java, and then digests what it likes.
 */
final class PatchwrightDigest {
    private static final int BLOCK = 64;
    private static final int[] ROUNDS = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };

    private final int[] state = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };
    private final byte[] block = new byte[BLOCK];
    private final int[] words = new int[BLOCK];
    private int filled;
    private long length;

    /** Takes more bytes. */
    PatchwrightDigest update(byte[] bytes) {
        length += bytes.length;
        for (byte each : bytes) {
            put(each);
        }
        return this;
    }

    /** The digest in hexadecimal digits; nothing more may be taken then. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (byte part : bytes()) {
            text.append("0123456789abcdef".charAt(part >> 4 & 15)).append("0123456789abcdef".charAt(part & 15));
        }
        return text.toString();
    }

    /** The digest; nothing more may be taken then. */
    byte[] bytes() {
        long bits = length * 8;
        put((byte) 0x80);
        while (filled != BLOCK - 8) {
            put((byte) 0);
        }
        for (int shift = 56; shift >= 0; shift -= 8) {
            put((byte) (bits >>> shift));
        }
        byte[] digest = new byte[32];
        for (int index = 0; index < digest.length; index++) {
            digest[index] = (byte) (state[index / 4] >>> 24 - index % 4 * 8);
        }
        return digest;
    }

    private void put(byte each) {
        block[filled++] = each;
        if (filled == BLOCK) {
            filled = 0;
            mix();
        }
    }

    private void mix() {
        for (int index = 0; index < 16; index++) {
            int at = index * 4;
            words[index] = (block[at] & 255) << 24 | (block[at + 1] & 255) << 16 | (block[at + 2] & 255) << 8 | block[at + 3] & 255;
        }
        for (int index = 16; index < BLOCK; index++) {
            int near = words[index - 15];
            int last = words[index - 2];
            int first = turned(near, 7) ^ turned(near, 18) ^ near >>> 3;
            int second = turned(last, 17) ^ turned(last, 19) ^ last >>> 10;
            words[index] = words[index - 16] + first + words[index - 7] + second;
        }
        int[] now = state.clone();
        for (int index = 0; index < BLOCK; index++) {
            int high = turned(now[4], 6) ^ turned(now[4], 11) ^ turned(now[4], 25);
            int choice = now[4] & now[5] ^ ~now[4] & now[6];
            int one = now[7] + high + choice + ROUNDS[index] + words[index];
            int low = turned(now[0], 2) ^ turned(now[0], 13) ^ turned(now[0], 22);
            int two = low + (now[0] & now[1] ^ now[0] & now[2] ^ now[1] & now[2]);
            System.arraycopy(now, 0, now, 1, 7);
            now[4] += one;
            now[0] = one + two;
        }
        for (int index = 0; index < state.length; index++) {
            state[index] += now[index];
        }
    }

    private static int turned(int word, int bits) {
        return word >>> bits | word << 32 - bits;
    }
}
