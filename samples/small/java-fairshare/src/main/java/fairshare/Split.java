package fairshare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ways to divide an amount. */
public final class Split {

    private Split() {}

    /** Equal shares. */
    public static List<Money> evenly(Money amount, int people) {
        long[] weights = new long[Math.max(0, people)];
        Arrays.fill(weights, 1);
        return byWeight(amount, weights);
    }

    /** Shares in proportion to the weights, in their order. */
    public static List<Money> byWeight(Money amount, long... weights) {
        long whole = 0;
        for (long weight : weights) {
            if (weight < 0) {
                throw new IllegalArgumentException("negative weight: " + weight);
            }
            whole += weight;
        }
        if (whole == 0) {
            throw new IllegalArgumentException("nobody to share with");
        }
        List<Money> shares = new ArrayList<>();
        for (long weight : weights) {
            shares.add(amount.fraction(weight, whole));
        }
        return shares;
    }
}
