"""`${NAME}`: where a value is put in when a server is started, so that no file has to hold it."""

import re
from typing import Final

PLACEHOLDER: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
