package parcelpost;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Before;
import org.junit.Test;

public class ParcelTest {

    private final Parcel parcel = new Parcel("P1", "8000", false);

    @Before
    public void arrive() {
        parcel.arriveAtDepot();
    }

    private void miss(int times) {
        for (int i = 0; i < times; i++) {
            parcel.load();
            parcel.miss();
        }
    }

    @Test
    public void isDelivered() {
        parcel.load();
        parcel.deliver("");
        assertEquals(
                List.of(Status.REGISTERED, Status.IN_DEPOT, Status.ON_VAN, Status.DELIVERED), parcel.history());
    }

    @Test
    public void cannotBeLoadedBeforeItArrives() {
        Parcel announced = new Parcel("P2", "8000", false);
        assertFalse(announced.canBeLoaded());
        assertThrows(IllegalStateException.class, announced::load);
    }

    @Test
    public void isLoadedAgainAfterItWasMissed() {
        miss(2);
        assertTrue(parcel.canBeLoaded());
        parcel.load();
        assertEquals(Status.ON_VAN, parcel.status());
        assertEquals(2, parcel.missed());
    }

    @Test
    public void isNotLoadedAgainAfterTheLastAttempt() {
        miss(3);
        assertFalse(parcel.canBeLoaded());
        IllegalStateException refusal = assertThrows(IllegalStateException.class, parcel::load);
        assertEquals("P1 cannot be loaded: MISSED, missed 3", refusal.getMessage());
    }

    @Test
    public void isLoadedAgainWhenTheVanDidNotGetThere() {
        parcel.load();
        parcel.arriveAtDepot();
        assertTrue(parcel.canBeLoaded());
        assertEquals(0, parcel.missed());
    }

    @Test
    public void waitsAtTheCounter() {
        miss(3);
        parcel.bringToCounter();
        assertFalse(parcel.canBeLoaded());
        parcel.deliver("Kim");
        assertEquals("Kim", parcel.signedBy());
    }

    @Test
    public void isSentBackFromTheCounter() {
        miss(1);
        assertThrows(IllegalStateException.class, parcel::sendBack);
        parcel.bringToCounter();
        parcel.sendBack();
        assertEquals(Status.RETURNED, parcel.status());
    }

    @Test
    public void wantsASignature() {
        Parcel letter = new Parcel("P3", "8000", true);
        letter.arriveAtDepot();
        letter.load();
        assertThrows(IllegalStateException.class, () -> letter.deliver(" "));
        letter.deliver("Ada");
        assertEquals("Ada", letter.signedBy());
    }

    @Test
    public void isNotDeliveredTwice() {
        parcel.load();
        parcel.deliver("");
        assertThrows(IllegalStateException.class, () -> parcel.deliver(""));
        assertFalse(parcel.canBeLoaded());
    }
}
