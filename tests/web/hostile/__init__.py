"""A hostile web on loopback: hosts that drip, lie, flood, loop and trap, each in its own way.

    with serve(Hostile("hostile.test"), log=path) as web:
        …                               # crawl web.seeds
    for url, told in web.expected().items(): …

Its hosts are names below one domain, all at one address: the Host header says who is meant, so
whoever asks needs a resolver that knows them. Nobody meets these hosts who did not ask for them.
What is endless ends after some megabytes or half a minute, lest a faulty crawler be flooded.
"""

from tests.web.hostile.case import Told
from tests.web.hostile.hostile import Hostile, serve

__all__ = ["Hostile", "Told", "serve"]
