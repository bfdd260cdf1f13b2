package parcelpost;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A parcel and all that has happened to it. */
public final class Parcel {

    /** How often a van brings a parcel that nobody takes in. */
    public static final int ATTEMPTS = 3;

    private final String number;
    private final String postcode;
    private final boolean signature;
    private final List<Status> history = new ArrayList<>();
    private String signedBy = "";

    /** A parcel to that postcode; with {@code signature} it is only handed over to somebody who signs. */
    public Parcel(String number, String postcode, boolean signature) {
        this.number = number;
        this.postcode = postcode;
        this.signature = signature;
        history.add(Status.REGISTERED);
    }

    public String number() {
        return number;
    }

    public String postcode() {
        return postcode;
    }

    public String signedBy() {
        return signedBy;
    }

    public Status status() {
        return history.get(history.size() - 1);
    }

    public List<Status> history() {
        return Collections.unmodifiableList(history);
    }

    /** How often nobody was at home. */
    public int missed() {
        return Collections.frequency(history, Status.MISSED);
    }

    /** Whether a van may (again) bring the parcel. */
    public boolean canBeLoaded() {
        return status().next().contains(Status.ON_VAN);
    }

    public void arriveAtDepot() {
        move(Status.IN_DEPOT);
    }

    public void load() {
        if (!canBeLoaded()) {
            throw new IllegalStateException(number + " cannot be loaded: " + status() + ", missed " + missed());
        }
        move(Status.ON_VAN);
    }

    public void miss() {
        move(Status.MISSED);
    }

    public void bringToCounter() {
        move(Status.AT_COUNTER);
    }

    public void sendBack() {
        move(Status.RETURNED);
    }

    /** Hands the parcel over; {@code signedBy} may be empty if no signature is wanted. */
    public void deliver(String signedBy) {
        if (signature && signedBy.isBlank()) {
            throw new IllegalStateException(number + " wants a signature");
        }
        move(Status.DELIVERED);
        this.signedBy = signedBy;
    }

    private void move(Status to) {
        if (!status().next().contains(to)) {
            throw new IllegalStateException(number + ": " + status() + " to " + to);
        }
        history.add(to);
    }
}
