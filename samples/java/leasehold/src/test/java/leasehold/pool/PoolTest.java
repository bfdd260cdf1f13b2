package leasehold.pool;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import leasehold.net.Address;
import leasehold.net.Block;
import leasehold.pool.PoolException.Reason;
import org.junit.Before;
import org.junit.Test;

public class PoolTest {

    private Pool pool;

    @Before
    public void open() {
        pool = new Pool(Block.parse("10.0.0.0/24"));
    }

    private static void refuses(Reason reason, Runnable request) {
        assertEquals(reason, assertThrows(PoolException.class, request::run).reason());
    }

    @Test
    public void leasesSideBySide() {
        assertEquals("web 10.0.0.0/28", pool.lease("web", 16).toString());
        assertEquals("db 10.0.0.16/29", pool.lease("db", 8).toString());
        assertEquals(232, pool.freeSize());
        assertEquals(24, pool.leasedSize());
    }

    @Test
    public void leasesExactAddresses() {
        pool.lease("web", Block.parse("10.0.0.64/28"));
        assertEquals(Block.parse("10.0.0.64/28"), pool.leaseOf("web").orElseThrow().block());
        assertEquals(2, pool.freeBlocks().size());
    }

    @Test
    public void usesItsPlacement() {
        Pool fromAbove = new Pool(Block.parse("10.0.0.0/24"), StandardPlacement.LAST_FIT);
        assertEquals("web 10.0.0.252/30", fromAbove.lease("web", 4).toString());
    }

    @Test
    public void leasesAllOfIt() {
        pool.lease("web", 256);
        assertEquals(0, pool.freeSize());
        refuses(Reason.EXHAUSTED, () -> pool.lease("db", 1));
    }

    @Test
    public void refusesWhatIsTakenOrOutside() {
        pool.lease("web", 16);
        refuses(Reason.TAKEN, () -> pool.lease("db", Block.parse("10.0.0.15-10.0.0.20")));
        refuses(Reason.OUTSIDE, () -> pool.lease("db", Block.parse("10.0.1.0/28")));
        assertTrue(pool.leaseOf("db").isEmpty());
        assertEquals(240, pool.freeSize());
    }

    @Test
    public void leasesOnceToEachOwner() {
        pool.lease("web", 16);
        refuses(Reason.SECOND_LEASE, () -> pool.lease("web", 1));
        refuses(Reason.SECOND_LEASE, () -> pool.lease("web", Block.parse("10.0.0.64")));
    }

    @Test
    public void refusesEmptyLeases() {
        assertThrows(IllegalArgumentException.class, () -> pool.lease("web", 0));
    }

    @Test
    public void releasesOnlyWhatIsLeased() {
        refuses(Reason.NO_LEASE, () -> pool.release("web"));
        pool.lease("web", 16);
        assertEquals(Block.parse("10.0.0.0/28"), pool.release("web"));
        refuses(Reason.NO_LEASE, () -> pool.release("web"));
    }

    @Test
    public void leasesAgainWhatWasReleased() {
        pool.lease("web", 16);
        pool.lease("db", 16);
        pool.release("web");
        assertEquals("mail 10.0.0.0/29", pool.lease("mail", 8).toString());
    }

    @Test
    public void isWholeAgainAfterReleasesInReverse() {
        pool.lease("web", 64);
        pool.lease("db", 64);
        pool.lease("mail", 128);
        pool.release("mail");
        pool.release("db");
        pool.release("web");
        assertEquals(256, pool.largestFree());
    }

    @Test
    public void isWholeAgainAfterReleasesInOrder() {
        pool.lease("web", 64);
        pool.lease("db", 64);
        pool.lease("mail", 128);
        pool.release("web");
        pool.release("db");
        pool.release("mail");
        assertEquals("all 10.0.0.0/24", pool.lease("all", 256).toString());
    }

    @Test
    public void doesNotLeaseWhatIsExcluded() {
        pool.exclude(Block.parse("10.0.0.0"));
        pool.exclude(Block.parse("10.0.0.255"));
        assertEquals(2, pool.excludedSize());
        assertEquals("10.0.0.1", pool.lease("web", 4).block().first().toString());
        refuses(Reason.TAKEN, () -> pool.lease("db", Block.parse("10.0.0.255")));
        refuses(Reason.EXHAUSTED, () -> pool.lease("db", 251));
    }

    @Test
    public void keepsExcludedAddressesBackAfterARelease() {
        pool.exclude(Block.parse("10.0.0.4"));
        pool.lease("web", Block.parse("10.0.0.5-10.0.0.255"));
        pool.release("web");
        assertEquals(251, pool.largestFree());
        assertEquals(255, pool.freeSize());
    }

    @Test
    public void excludesNothingThatIsInUse() {
        pool.lease("web", Block.parse("10.0.0.16/28"));
        refuses(Reason.TAKEN, () -> pool.exclude(Block.parse("10.0.0.31-10.0.0.40")));
        refuses(Reason.OUTSIDE, () -> pool.exclude(Block.parse("10.0.1.0")));
        assertEquals(0, pool.excludedSize());
    }

    @Test
    public void excludesAddressesBesideALease() {
        pool.lease("web", Block.parse("10.0.0.16/28"));
        pool.exclude(Block.parse("10.0.0.15"));
        pool.exclude(Block.parse("10.0.0.32"));
        assertEquals(2, pool.excludedSize());
    }

    @Test
    public void worksAtTheTopOfTheAddressSpace() {
        Pool top = new Pool(Block.parse("255.255.255.248/29"));
        top.lease("web", Block.parse("255.255.255.252/30"));
        top.release("web");
        assertTrue(top.leases().isEmpty());
        assertEquals(8, top.freeSize());
        assertEquals(Address.HIGHEST, top.range().last());
    }
}
