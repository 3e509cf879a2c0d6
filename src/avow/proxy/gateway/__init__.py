"""`avow gateway`: every locked server over Streamable HTTP, in both eras, behind the gate."""
