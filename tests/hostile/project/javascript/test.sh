node --test tests/
