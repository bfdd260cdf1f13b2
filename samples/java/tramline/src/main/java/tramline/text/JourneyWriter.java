package tramline.text;

import tramline.planning.Journey;

/** Writes a journey as a passenger wants to read it. */
public final class JourneyWriter {

    private static final String INDENT = " ".repeat("HH:MM  ".length());

    private JourneyWriter() {}

    /** The journey in lines, without a final line break. */
    public static String write(Journey journey) {
        if (journey.legs().isEmpty()) {
            return "You are there.";
        }
        StringBuilder text = new StringBuilder();
        for (Journey.Leg leg : journey.legs()) {
            text.append(leg.departure()).append("  ").append(leg.from()).append('\n');
            text.append(INDENT).append(leg.run().label()).append('\n');
            text.append(leg.arrival()).append("  ").append(leg.to()).append('\n');
        }
        return text.append(summary(journey)).toString();
    }

    private static String summary(Journey journey) {
        return duration(journey.duration()) + ", " + changes(journey.changes());
    }

    static String duration(int minutes) {
        if (minutes < 60) {
            return minutes + " min";
        }
        return String.format("%d h %02d min", minutes / 60, minutes % 60);
    }

    static String changes(int count) {
        return switch (count) {
            case 0 -> "no change";
            case 1 -> "1 change";
            default -> count + " changes";
        };
    }
}
