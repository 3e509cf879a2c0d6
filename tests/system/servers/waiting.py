"""A server that starts a child, writes down both of their numbers, and never answers."""

import os
import subprocess
import sys
import time

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(descriptor, f"{os.getpid()}\n{child.pid}\n".encode())
time.sleep(60)
