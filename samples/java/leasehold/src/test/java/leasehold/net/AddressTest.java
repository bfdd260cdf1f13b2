package leasehold.net;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class AddressTest {

    @Test
    public void readsAndWrites() {
        for (String text : new String[] {"0.0.0.0", "10.20.0.255", "192.168.100.7", "255.255.255.255"}) {
            assertEquals(text, Address.parse(text).toString());
        }
    }

    @Test
    public void isANumber() {
        assertEquals(0x0A14_00FFL, Address.parse("10.20.0.255").value());
        assertEquals(Address.HIGHEST, Address.parse("255.255.255.255"));
    }

    @Test
    public void refusesWhatIsNoAddress() {
        for (String text : new String[] {"", "10.20.0", "10.20.0.256", "10.20.0.01", "10.20.0.-1", "a.b.c.d", "1.2.3.4."}) {
            assertThrows(text, IllegalArgumentException.class, () -> Address.parse(text));
        }
    }

    @Test
    public void countsAcrossOctets() {
        assertEquals("10.20.1.0", Address.parse("10.20.0.255").plus(1).toString());
        assertEquals("10.19.255.255", Address.parse("10.20.0.0").plus(-1).toString());
    }

    @Test
    public void endsAtTheHighestAddress() {
        assertThrows(IllegalArgumentException.class, () -> Address.HIGHEST.plus(1));
        assertThrows(IllegalArgumentException.class, () -> new Address(-1));
    }

    @Test
    public void comparesAsANumber() {
        assertTrue(Address.parse("9.255.0.0").compareTo(Address.parse("10.0.0.0")) < 0);
        assertTrue(Address.parse("200.0.0.0").compareTo(Address.parse("100.0.0.0")) > 0);
    }
}
