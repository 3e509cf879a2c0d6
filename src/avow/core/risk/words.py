"""The vocabulary of the rubric: verbs by what they do, nouns by what they are done to, names of arguments.

Verbs are base forms; the reader finds "deletes" and "deleting" under "delete". A word that could be read
two ways stands where its use in tool names suggests, and in `WEAK_VERBS` too when it is as often a noun.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- verbs: high -----------------------------------------------------------------------------------

# What is gone is gone: the rubric's "delete, overwrite or irreversibly change data".
DESTROY: Final = _words(
    "delete del drop purge truncate erase wipe destroy overwrite flush rm unlink uninstall expunge reset "
    "kill terminate shutdown unpublish merge rebase discard revoke cancel abort redact cleanup prune void "
    "flushall unwatch pop deactivate disable suspend ban block restore rollback"
)
# These take something away too, yet a label or a star that was taken away is put back with one call.
DETACH: Final = _words("remove clear unset detach unassign unlabel untag dismiss strip")
UNDONE_EASILY: Final = _words(
    "label labels tag tags star stars reaction reactions favorite favorites favourite assignee assignees "
    "watcher watchers bookmark bookmarks pin filter filters formatting highlight emoji"
)
# Runs what it is given.
EXECUTE: Final = _words(
    "execute exec run eval evaluate invoke spawn launch trigger dispatch start rerun retry replay call"
)
# Of those, the ones that need something that runs before they are dangerous: one also starts a session.
BEGIN: Final = _words("start call retry replay")
# Reaches other people.
PUBLISH: Final = _words(
    "send post publish tweet retweet reply broadcast notify email mail message dm invite share forward "
    "comment announce push submit respond multicast dial sms react"
)
# A draft is nobody's news until one of these is done to it.
RELEASE: Final = _words("send publish submit push broadcast post forward share")
# Pushing a value onto a list reaches nobody; pushing one of these does.
PUSHED: Final = _words(
    "message messages notification notifications text file files commit commits branch changes remote "
    "code image"
)
# Moves money or creates cost.
SPEND: Final = _words(
    "pay purchase buy refund charge withdraw deposit donate tip bid trade swap stake mint payout bill "
    "invoice remit finetune train transfer wire sell order"
)
# Changes who may do what, or what runs where; the first always, the rest when done to something that runs.
ALWAYS_ADMINISTER: Final = _words(
    "grant authorize authorise impersonate deploy redeploy undeploy restart reboot scale provision "
    "deprovision migrate install failover promote demote"
)
ADMINISTER: Final = ALWAYS_ADMINISTER | _words(
    "rotate stop pause resume apply approve reject enable activate escalate"
)
# Acts in a browser or on a desktop in the name of its user: a click can buy, send or delete.
OPERATE: Final = _words(
    "click type fill press drag tap act drop select check uncheck hover scroll key swipe interact"
)

# --- verbs: medium, unless what they are done to says more -----------------------------------------

# Adds something that its owner can take away again.
ADD: Final = _words(
    "create add append insert copy duplicate clone save store register log tag label star unstar follow "
    "unfollow join leave subscribe unsubscribe assign bookmark pin unpin attach link associate index "
    "ingest import upload draft schedule book new make open init initialize initialise setup generate "
    "record remember memorize prepare commit stage unstage stash branch fork establish connect annotate "
    "highlight place request enqueue mark like unlike upvote downvote vote favorite"
)
# Changes something that its owner can change back.
CHANGE: Final = _words(
    "update edit modify set patch change rename replace upsert put write move transition close reopen "
    "archive unarchive complete reschedule reorder toggle configure adjust manage handle customize mute "
    "unmute snooze acknowledge unmerge split hide unhide protect unprotect lock unlock trash untrash sync "
    "refresh group ungroup resize switch batch bulk fix refactor reassign login logout navigate rewrite "
    "trim checkout"
)
# One tool for everything: its description lists what it can do.
MANAGE: Final = _words("manage handle write batch bulk")
DELETING: Final = _words("delete drop remove revoke")
MAKE: Final = _words("create new open generate make")
# What these put somewhere is read there; moving, marking or archiving a message tells nobody anything.
WRITE_TO: Final = MAKE | _words("manage add update edit write put upsert patch append insert schedule upload")
WRITE_FILE: Final = _words(
    "write edit append insert patch create save move rename copy replace update put apply"
)
KEEP: Final = _words("setup set configure save store register")

# --- verbs: depends on what is read ----------------------------------------------------------------

READ: Final = _words(
    "get list read fetch retrieve search find lookup look show view describe query browse return obtain "
    "load download export inspect explore scan monitor track watch check verify see access pull extract "
    "scrape crawl map discover enumerate display give gather collect capture take screenshot snapshot "
    "tail peek grep glob cat ls diff blame stat status count filter sample preview summarize summarise "
    "analyze analyse examine investigate review audit report ask answer research explain understand "
    "recall identify locate detect test wait poll stream listen aggregate dump receive lint trace resolve "
    "profile render ocr transcribe visit go learn reverse"
)
# Looks at a text as well as at things it has to fetch.
ANALYSE: Final = _words(
    "analyze analyse summarize summarise explain review identify detect lint check verify extract count"
)
# Computes on its arguments.
COMPUTE: Final = _words(
    "calculate compute convert format validate parse encode decode hash think echo translate sum subtract "
    "multiply divide round tokenize reason plan escape unescape encrypt decrypt compress decompress "
    "minify beautify prettify randomize roll flip solve score rank compare normalize normalise transform "
    "estimate predict classify sleep ping demonstrate simulate assess evaluate eval correct proofread "
    "paraphrase generate suggest recommend draw geocode stringify slugify reflect brainstorm integrate "
    "differentiate factor simplify"
)

# As often nouns as verbs: "order_status", "get_run". Another verb in the same name is preferred.
WEAK_VERBS: Final = _words(
    "post comment message email mail call charge run test report record log index map label tag star link "
    "bill invoice trade bid tip review draft schedule book branch fork group batch bulk block key act "
    "type check select drop new place lock profile trace stream filter sample status count stat diff "
    "request query search plan score rank round sum factor view access capture snapshot screenshot stage "
    "setup share reason format hash add react complete preview dump export import start push stake split "
    "open mark reverse go merge pin watch transfer order wire sell transfer like vote"
)
# Carry no meaning of their own: the noun that follows does ("performs a web search").
LIGHT_VERBS: Final = _words("perform make do conduct carry allow let help provide use")

MUTATE: Final = (
    DESTROY | DETACH | EXECUTE | PUBLISH | SPEND | ADMINISTER | OPERATE | ADD | CHANGE
) - READ - COMPUTE  # fmt: skip
VERBS: Final = MUTATE | READ | COMPUTE

# --- nouns: high when changed ----------------------------------------------------------------------

# Writing one of these is speaking to other people.
PUBLIC_WRITING: Final = _words(
    "comment comments message messages reply replies tweet tweets thread threads email emails mail "
    "discussion discussions gist gists release releases announcement announcements invitation invitations "
    "invite invites broadcast broadcasts notification notifications review reviews sms mms dm newsletter "
    "campaign webhook webhooks post posts story stories reel narrowcast blog article articles fax call "
    "calls"
)
DRAFT: Final = _words("draft drafts")
# A note is for oneself, except on something shared.
NOTES: Final = _words("note notes")
SHARED: Final = _words("issue merge request incident ticket discussion comment alert")
ISSUES: Final = _words("issue issues pr prs")
PROPOSALS: Final = frozenset({("pull", "request"), ("merge", "request")})
FORGES: Final = _words("github gitlab gitea forgejo bitbucket repository repo owner")
# Permissions, credentials and infrastructure: any mention, or as the thing that is changed.
ALWAYS_ADMINISTERED: Final = _words(
    "access auth permission permissions role roles policy policies acl credential credentials password "
    "secret secrets webhook webhooks deployment mfa migration"
)
ADMINISTERED: Final = ALWAYS_ADMINISTERED | _words(
    "acls passwords token tokens apikey key keys user users member members collaborator collaborators "
    "membership admin administrator ownership sso oauth certificate certificates deployments cluster "
    "clusters instance instances server servers vm vms droplet container containers pod pods nodepool "
    "service services function functions lambda lambdas stack stacks dns firewall domain domains subnet "
    "vpc network networks bucket buckets volume volumes disk disks replica replicas migrations ruleset "
    "rulesets monitor monitors alert alerts alerting silence pipeline pipelines workflow workflows job "
    "jobs environment environments plugin plugins extension extensions infrastructure database databases "
    "trigger triggers escalation oncall incident incidents responder responders sip trunk application "
    "applications subaccount account accounts visibility sharing package packages dependency dependencies "
    "caller orchestration orchestrations integration integrations connector connectors datasource "
    "virtualmachine"
)
# Tools that exist to change infrastructure.
INFRASTRUCTURE: Final = _words("kubernetes kubectl k8s terraform helm ansible docker cloudformation pulumi")
ALWAYS_MONEY: Final = _words("payment payments invoice invoices refund refunds payout payouts charge charges")
MONEY: Final = ALWAYS_MONEY | _words(
    "subscription subscriptions order orders funds money purchase purchases checkout transaction "
    "transactions transfer transfers wallet coupon coupons billing trade trades bid credit"
)
# Made by a model that somebody pays for.
MEDIA: Final = _words(
    "image images video videos audio music song speech voice voices sound animation picture art"
)
FILES: Final = _words("file files")
NUMBERS: Final = _words("number numbers integers")
CELLS: Final = _words("cell cells range table column row rows")
LINKS: Final = _words("link links deeplink deeplinks")

# --- nouns: what is run ----------------------------------------------------------------------------

CODE: Final = _words(
    "code command commands cmd script scripts shell bash powershell terminal javascript js python program "
    "process notebook function lambda binary executable macro workflow workflows job jobs pipeline "
    "pipelines build builds task agent action actions container playbook crew flow automation call"
)
QUERY: Final = _words("query queries sql cypher statement statements")
# Languages in which one can write as well as read.
DATABASE: Final = _words(
    "sql cypher ddl dml database db duckdb sqlite mysql postgres postgresql mariadb clickhouse snowflake "
    "redshift bigquery neo4j graphql mutation mongodb oracle mssql redis valkey"
)
# Running one of these only looks ...
LOOKING: Final = _words(
    "search searches report reports metric metrics analysis analyses promql logql traceql kql jql gaql "
    "lucene log logs select read readonly rag semantic vector similarity retrieval lookup research "
    "diagnostic diagnostics audit explain plan check find inspection simulation aggregation aggregations "
    "pagespeed lighthouse"
)
# ... unless one of these stands beside it.
WRITING_QUERY: Final = _words("insert update delete dml ddl write drop any arbitrary create alter mutation")
HTTP: Final = _words("http https api rest endpoint")
BROWSER: Final = _words("browser page webpage element mouse keyboard desktop screen dropdown selector device")
DEMONSTRATION: Final = _words("demonstrates simulates simulated")

# --- nouns: low when read --------------------------------------------------------------------------

# Reference data that everybody may read.
PUBLIC: Final = _words(
    "web internet online weather forecast temperature climate news headline headlines stock stocks ticker "
    "tickers quote quotes market markets sector sectors industry financial finance etf currency "
    "currencies forex crypto cryptocurrency cryptocurrencies bitcoin coin coins exchange geocode "
    "geocoding geolocation place places poi directions direction route routes distance elevation traffic "
    "latitude longitude coordinates timezone timezones documentation docs libraries wikipedia arxiv paper "
    "papers pubmed preprint citation citations doi scholar scholarly reddit subreddit subreddits "
    "hackernews youtube transcript transcripts subtitles dictionary thesaurus synonym recipe recipes "
    "movie movies anime sports flight flights airport airports hotel hotels country countries holiday "
    "holidays planet astronomy nasa joke jokes trivia npm pypi crate crates nixos nixpkgs nix registry "
    "registries cve cves advisory advisories duckduckgo searxng reference encyclopedia legislation law "
    "laws patent patents drug drugs clinical gene protein icon icons gutenberg bible quran census gdp "
    "treasury dividends earnings rss pokemon lyrics horoscope zodiac sketchfab polyhaven huggingface dns "
    "whois"
)
PUBLIC_WEAK: Final = _words("post posts comments example examples product products video videos")
# These are public whatever private-looking word stands beside them: "YouTube channel", "web page".
CLEARLY_PUBLIC: Final = _words(
    "web internet weather reddit subreddit arxiv youtube wikipedia hackernews stock stocks ticker geocode "
    "npm pypi nixos paper papers pubmed documentation news"
)
# These say "public" only next to what everybody may search there: Google also has private documents.
SITES: Final = _words("google bing brave amazon ebay yahoo walmart etsy imdb kagi")
SITE_TOPICS: Final = _words(
    "search searches results product products shopping images trends summarizer flights scholar"
)
# A URL on one of these only names something there.
FIXED_SITES: Final = _words("youtube reddit arxiv wikipedia github")
# The service or the server itself.
ITSELF: Final = _words(
    "version health healthcheck ping capabilities supported help checklist guide guidelines tutorial faq "
    "uptime formats languages allowed limits demo tiny logo structured annotated manual cheatsheet primer "
    "models"
)
# Says nothing of the kind by itself, but does next to "this server".
INFORMATION: Final = _words("tools info information")
# Something that is made up on the spot.
COMPUTED: Final = _words(
    "uuid guid random date datetime clock sum timestamp checksum hash regex expression arithmetic math "
    "thought thoughts thinking reasoning unit units roman fibonacci prime link links palindrome anagram"
)

# --- nouns: medium when read -----------------------------------------------------------------------

PRIVATE: Final = _words(
    "file files filesystem directory directories folder folders disk clipboard screen screenshot desktop "
    "database databases db sql table tables column columns row rows collection collections record records "
    "mail email emails inbox mailbox message messages channel channels chat conversation conversations "
    "contact contacts calendar calendars event events task tasks todo todos reminder reminders note notes "
    "notebook notebooks page pages document documents spreadsheet spreadsheets sheet sheets slide slides "
    "presentation presentations doc form forms drive memory memories entity entities graph issue issues "
    "ticket tickets project projects repository repo repositories commit commits branch branches diff "
    "merge pipeline pipelines workflow workflows job jobs run runs build builds test tests artifact "
    "artifacts deployment deployments cluster clusters pod pods container containers instance instances "
    "bucket buckets log logs trace traces span spans metric metrics alert alerts incident incidents "
    "monitor monitors dashboard dashboards account accounts user users member members team teams "
    "workspace workspaces organization organizations organisation customer customers deal deals order "
    "orders invoice invoices payment payments subscription subscriptions transaction transactions "
    "portfolio balance wallet browser tab tabs cookie cookies session sessions environment env variable "
    "variables secret secrets credential credentials key keys password passwords token tokens policy "
    "policies role roles permission permissions group groups profile profiles device devices processes "
    "system corpus corpora knowledge kb vault attachment attachments recording recordings call calls "
    "datasource datasources index indices workbook cell cells bookmark bookmarks photo photos album "
    "zotero authenticated private my local locally your agent agents notification notifications"
)

# --- arguments -------------------------------------------------------------------------------------

# Run as it is.
COMMAND_ARGUMENTS: Final = _words(
    "command cmd commands shell bash script powershell exec shell_command shellcommand command_line "
    "commandline javascript js argv eval"
)
# Run where the description says so; in a formatter or a linter it is only text.
CODE_ARGUMENTS: Final = _words("code source_code python function program snippet expression")
# A query in a language that can write, and texts that are one when the tool is about a database.
QUERY_ARGUMENTS: Final = _words("sql cypher sql_query ddl dml")
QUERY_TEXTS: Final = _words("query queries statement statements q query_string querytext command")
# The server goes where this says.
ADDRESS_WORDS: Final = _words(
    "url urls uri uris endpoint host hostname website webpage href callback webhook connectionstring baseurl"
)
# Names something in a file system ...
PATH_WORDS: Final = _words(
    "path paths file files filename filenames filepath filepaths directory dir folder cwd pathname dirname"
)
PATH_NAMES: Final = _words("path paths filepath filepaths directory dir")
FILE_NAMES: Final = _words("file files filename source destination")
# ... unless it only says something about it.
ABOUT_FILES: Final = _words("type types id ids hash format size extension count limit sid uid url")
# Together with a word for a place: where something is written.
OUTPUT_WORDS: Final = _words("output out save dest destination export target write download")
# Verbs after which a local path is written to as well.
FETCH: Final = _words("download export save")
CREDENTIALS: Final = _words(
    "password token secret apikey api_key credential credentials access_key private_key"
)
# One argument that chooses what the tool does.
SELECTOR_ARGUMENTS: Final = _words("action actions method operation operations op command mode verb task")
WRITING_METHODS: Final = _words("post put patch delete")
FLAGS: Final = _words("overwrite delete purge exec execute permanent permanently")
RECIPIENT_ARGUMENTS: Final = _words(
    "to cc bcc recipient recipients channel channel_id chat_id conversation_id thread_ts userid user_id email"
)
ELEMENT_ARGUMENTS: Final = _words("selector ref coordinate xpath")
# The data itself, not its identifier.
GIVEN: Final = _words(
    "text texts content contents documents code data input html markdown json xml yaml string strings "
    "sentence sentences numbers values expression message messages thought a x number sql query"
)
IDENTIFIERS: Final = _words("id ids uid sid arn")

# --- words around the verb -------------------------------------------------------------------------

# Stand before the verb: "This tool allows you to delete", "Use this to list".
FILLERS: Final = _words(
    "a an the this that it is tool tools function method operation api to you use used useful for "
    "allow allows allowing let lets enable enables helps help can will may must should be able and "
    "also then or optionally automatically directly simply quickly easily recursively safely "
    "permanently immediately asynchronously autonomously which when provides provide powerful ability "
    "capability designed intended best deprecated note important warning in order with your user users "
    "we i multiple one more several single specialized simultaneously batch bulk"
)
ARTICLES: Final = _words("a an the this that new existing your one or more multiple several single and")
# End what the verb is done to.
PREPOSITIONS: Final = _words(
    "for in to from of on with by using via at into onto within based that which whose where when as "
    "about across against between under over through per if so because after before during around near"
)
