"""layercrawl: a polite, depth-bounded web crawler made of five Hadoop Streaming jobs.

The life of a URL:

It is *found*: a user names it as a seed, or a fetched page links to it, or redirects to it, or a
sitemap lists it (`sitemaps`). `urls` gives it its one spelling, which is its key in every store;
`rules` may cut it, and counts why.

It *waits* as a line in some page's Outlinks (`out/`). OptimizerDriver folds all that is said of it
into one UrlState (`planning.fold`), and chooses it for a layer when it is due, in the crawl order's
turn, and within its host's share and budgets (`planning`, `ordering`, `schedule`). It is a Target
then (`in/`).

It is *asked for*: CrawlerDriver sends all Targets of a host to one task, which writes them down
(`download.spool`), gives the hosts that are due to workers (`download.frontier`), and lets each
turn make at most one request (`download.turns`), once the host's robots.txt is known and allows it
(`manners`, `robots`).

It is *answered*, always, by one Page (`doc/`): the HTML with its encoding and digest, or the
outcome and the reason why there is none (`fetch`, `answers`, `charset`). What fails in passing is
tried again within the layer, and waits for a later one after that.

It is *read*: ParserDriver takes its links, directives and fingerprint (`markup`, `outlinks`,
`simhash`), and so finds further URLs. This goes on layer by layer until nothing that is due waits.

It *stands* for all pages with the same content, or is listed as a duplicate of one that does
(`dedup`), in `doc/merged`; and what stands becomes an XML document (`xmldoc`), in `xml/`.

`running` holds what a run does beside its jobs, `asking` what a crawl can be asked afterwards,
`job` what stands between a job and mrjob.
"""
