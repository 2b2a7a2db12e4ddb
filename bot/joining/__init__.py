"""Taking a seat by a code, playing again, taking over for somebody who is absent."""
