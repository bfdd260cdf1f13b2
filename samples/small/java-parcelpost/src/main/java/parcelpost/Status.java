package parcelpost;

import java.util.EnumSet;
import java.util.Set;

/** Where a parcel is on its way. */
public enum Status {
    REGISTERED,
    IN_DEPOT,
    ON_VAN,
    MISSED,
    AT_COUNTER,
    DELIVERED,
    RETURNED;

    /** What may come next. */
    public Set<Status> next() {
        switch (this) {
            case REGISTERED:
                return EnumSet.of(IN_DEPOT);
            case IN_DEPOT:
                return EnumSet.of(ON_VAN, RETURNED);
            case ON_VAN:
                return EnumSet.of(DELIVERED, MISSED, IN_DEPOT);
            case MISSED:
                return EnumSet.of(ON_VAN, AT_COUNTER);
            case AT_COUNTER:
                return EnumSet.of(DELIVERED, RETURNED);
            default:
                return EnumSet.noneOf(Status.class);
        }
    }

    /** Whether the parcel has arrived somewhere for good. */
    public boolean isFinal() {
        return next().isEmpty();
    }
}
