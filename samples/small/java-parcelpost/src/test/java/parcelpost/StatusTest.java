package parcelpost;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Set;
import org.junit.Test;

public class StatusTest {

    @Test
    public void beginsInTheDepot() {
        assertEquals(Set.of(Status.IN_DEPOT), Status.REGISTERED.next());
    }

    @Test
    public void aVanMayComeBack() {
        assertTrue(Status.ON_VAN.next().contains(Status.IN_DEPOT));
        assertTrue(Status.MISSED.next().contains(Status.ON_VAN));
    }

    @Test
    public void endsWithDeliveryOrReturn() {
        assertTrue(Status.DELIVERED.isFinal());
        assertTrue(Status.RETURNED.isFinal());
        assertFalse(Status.AT_COUNTER.isFinal());
    }
}
