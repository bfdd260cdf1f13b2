function settle(account) {
  // What is owed.
	if (account.open) report(account.name);
}
