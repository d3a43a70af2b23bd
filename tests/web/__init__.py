"""A seeded web on loopback: the demo's, and the judge of whole crawls.

    web = Web(seed=1, hosts=loopback(8), port=0)
    with serve(web, log=path) as web:
        …                               # crawl web.seeds
    facts = web.truth(depth=3)          # URL → Fact

Every answer is a pure function of seed and URL. `features/` has a file for each thing that a
crawler may meet; it imports nothing of the crawler, whose work it judges.
"""

from tests.web.serving import serve
from tests.web.truth import Fact
from tests.web.web import Web, loopback

__all__ = ["Fact", "Web", "loopback", "serve"]
