"""The tests; compiled modules are kept, whatever the system says.

Programs that tests start, and each worker, would compile all of it each time.
"""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
