package meters;

import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

public class Meter {
    private static final int ATTEMPTS = 3;
    private static final double SLACK = 1e-9;

    private final TimeZone zone;
    private final Locale locale;
    private final List<Integer> readings = new ArrayList<>();
    private int[] misses;

    public Meter(TimeZone zone, Locale locale) {
        this.zone = zone;
        this.locale = locale;
    }

    public List<Integer> getReadings() {
        return new ArrayList<>(readings);
    }

    public int missed() {
        return misses.length;
    }

    public boolean mayTry(boolean open) {
        return open && missed() < ATTEMPTS;
    }

    public void retry(Runnable task, boolean open) {
        if (open && missed() < ATTEMPTS) {
            task.run();
        }
    }

    public boolean contains(int value) {
        return getReadings().contains(value);
    }

    public int hourOf(long millis) {
        Calendar calendar = new GregorianCalendar(zone, locale);
        calendar.setTimeInMillis(millis);
        return calendar.get(Calendar.HOUR_OF_DAY);
    }

    public double root(double low, double high) {
        double left = value(low);
        double right = value(high);
        if (left * right > 0.0) {
            throw new IllegalArgumentException();
        }
        double middle = (low + high) / 2;
        return Math.abs(value(middle)) < SLACK ? middle : search(low, middle);
    }

    private double value(double at) {
        return at * at - 2;
    }

    private double search(double low, double high) {
        return low + high;
    }

    public double variance(double[] values, int begin, int length) {
        double sum = 0;
        for (int i = begin; i < begin + length; i++) {
            sum += values[i] * values[i];
        }
        return sum / length;
    }

    public double clipped(double value, double low, double high) {
        double v = Math.max(value, low);
        v = Math.min(v, high);
        return (v - low) / (high - low);
    }

    public String padded(String text, int width, char sign) {
        StringBuilder line = new StringBuilder();
        int length = text.length();
        if (length >= width) {
            text.getChars(0, width, new char[width], 0);
        }
        for (int i = length; i < width; i++) {
            line.append(sign);
        }
        return line.append(text).toString();
    }

    public List<Integer> between(int first, int last) {
        if (first < 0 || first > last) {
            throw new IllegalArgumentException();
        }
        return readings.subList(first, last);
    }

    public int longest(List<String> names) {
        int longest = 0;
        for (String name : names) {
            longest = Math.max(longest, name.length());
        }
        return longest;
    }

    public int offset(String text, String sign, int start) {
        int at = text.indexOf(sign, start);
        return at - start;
    }

    public double product(int count, int others) {
        double product = count * others;
        return product / (count + others);
    }
}
