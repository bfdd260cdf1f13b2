package parcelpost;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.junit.Before;
import org.junit.Test;

public class DepotTest {

    private final Depot depot = new Depot();
    private final Parcel first = new Parcel("P1", "8000", false);
    private final Parcel second = new Parcel("P2", "8000", false);
    private final Parcel elsewhere = new Parcel("P3", "9000", false);

    @Before
    public void fill() {
        depot.accept(first);
        depot.accept(second);
        depot.accept(elsewhere);
    }

    @Test
    public void loadsWhatGoesToThePostcode() {
        assertEquals(List.of(first, second), depot.loadVan("8000", 10));
        assertEquals(List.of(), depot.loadVan("8000", 10));
        assertEquals(Status.IN_DEPOT, elsewhere.status());
    }

    @Test
    public void loadsNoMoreThanThereIsRoomFor() {
        assertEquals(List.of(first), depot.loadVan("8000", 1));
        assertEquals(List.of(second), depot.loadVan("8000", 1));
    }

    @Test
    public void loadsWhatWasMissedBefore() {
        depot.loadVan("9000", 1).forEach(Parcel::miss);
        assertEquals(List.of(), depot.clearMissed());
        assertEquals(List.of(elsewhere), depot.loadVan("9000", 1));
    }

    @Test
    public void leavesOutWhatWasMissedForTheLastTime() {
        for (int day = 0; day < 3; day++) {
            depot.loadVan("9000", 1).forEach(Parcel::miss);
        }
        assertEquals(List.of(), depot.loadVan("9000", 1));
        assertEquals(List.of(elsewhere), depot.clearMissed());
        assertEquals(Status.AT_COUNTER, elsewhere.status());
    }

    @Test
    public void countsWhatIsOpen() {
        depot.loadVan("9000", 1).forEach(parcel -> parcel.deliver(""));
        assertEquals(2, depot.open());
    }

    @Test
    public void refusesAParcelTwice() {
        assertThrows(IllegalArgumentException.class, () -> depot.accept(new Parcel("P1", "8000", false)));
    }
}
