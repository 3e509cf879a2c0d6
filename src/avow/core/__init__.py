"""Identity, risk, drift, contract, lockfile and policy: pure values and functions."""
