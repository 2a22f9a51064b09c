"""What people say, and what properties are called: phrases of questions, and the names they speak for.

A phrase is a pattern of the folded question; where it is found its names count as if the question had said them. They
are words, not ids, so that they serve any graph whose properties have English names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from plugins.schema.words import fold

_PHRASES: tuple[tuple[str, str], ...] = (
    (r"\bwhere\b.*\bborn\b|\bbirth ?place\b|\bplace of birth\b|\bborn (in|at)\b|\bhometown\b", "place of birth"),
    (r"\bnative of\b|\bcome from\b|\bgrow up\b|\bgrew up\b", "place of birth"),
    (r"\b(when|what (year|date|day))\b.*\bborn\b|\bbirth ?(day|date)\b|\bhow old\b", "date of birth"),
    (
        r"\bwhere\b.*\b(die|died|killed|dead|pass away|passed away)\b|\bdied (in|at)\b|\bdeath place\b",
        "place of death",
    ),
    (r"\b(when|what (year|date|day))\b.*\b(die|died|killed|dead|assassinated)\b", "date of death"),
    (r"\b(how|why|what)\b.*\b(die|died|killed|death|kill)\b", "cause of death|manner of death"),
    (r"\bwho (killed|shot|assassinated|murdered)\b", "killed by"),
    (r"\bburied\b", "place of burial"),
    (r"\bnationality\b|\bcitizen\b|\bwhat country is .* from\b", "country of citizenship"),
    (r"\b(what|which) (country|nation|state)\b.*\b(from|in)\b|\bcountry of origin\b", "country|country of origin"),
    (
        r"\bwhere (is|are|was|were|s)\b|\blocated\b|\bwhat (state|county|city|province|region)\b",
        "located in the administrative territorial entity|location|country",
    ),
    (r"\bmarried\b|\bmarry\b|\bwife\b|\bhusband\b|\bwives\b|\bspouse\b|\bwedding\b", "spouse"),
    (r"\bdat(ed|ing|e)\b|\bgirlfriends?\b|\bboyfriends?\b", "unmarried partner|spouse"),
    (r"\bkids\b|\bchildren\b|\bsons?\b|\bdaughters?\b|\bchild\b|\bbaby\b", "child"),
    (r"\bbrothers?\b|\bsisters?\b|\bsiblings?\b", "sibling"),
    (r"\bmom\b|\bmother\b", "mother"),
    (r"\bdad\b|\bfather\b", "father"),
    (r"\bparents\b", "father|mother"),
    (r"\bwho (wrote|writes|is the author|authored)\b|\bwritten by\b|\bauthor\b", "author|lyrics by|screenwriter"),
    (r"\bbooks?\b.*\b(write|wrote|written)\b|\b(write|wrote)\b|\bnovels?\b", "author"),
    (r"\bcompose(d|r)?\b|\bmusic by\b", "composer"),
    (
        r"\b(sing|sings|sang|sung|singer|recorded|performed|performer|artist|songs?|albums?|band|musician)\b",
        "performer",
    ),
    (r"\bdirect(ed|or|s)?\b", "director"),
    (r"\bproduc(ed|er|es)\b", "producer|production company"),
    (r"\b(star|stars|starred|starring|cast|actors?|actress|acted|appear(s|ed)?|films?|movies?)\b", "cast member"),
    (r"\bwho (plays|played|play|is|was|voices|voiced|does)\b.*\b(in|on|voice|of)\b", "cast member|voice actor"),
    (r"\b(character|role)s?\b|\bwho (did|does) .* play\b", "character role"),
    (r"\bfound(ed|er|ers)\b|\bstarted\b|\bcreated\b|\bestablished\b", "founded by|creator"),
    (
        r"\b(when|what year)\b.*\b(found|founded|start|started|begin|began|created|built|formed|established|made)\b",
        "inception|start time",
    ),
    (
        r"\b(when|what year)\b.*\b(end|ended|over|stop|dissolve|dissolved)\b",
        "end time|dissolved, abolished or demolished date",
    ),
    (
        r"\b(when|what year|what date)\b.*\b(released?|come out|came out|published|premiered?|air)\b",
        "publication date",
    ),
    (
        r"\b(when|what year|what date)\b.*\b(happen|happened|occur|occurred|take place|was|is|fought|held)\b",
        "point in time",
    ),
    (r"\binvent(ed|or|s)?\b|\bdiscover(ed|er|y|s)?\b", "discoverer or inventor"),
    (
        r"\b(job|profession|occupation|living|career|do for work|known for|famous for)\b|"
        r"\bwhat (did|does|do) \S+ \S+ do\b",
        "occupation",
    ),
    (
        r"\bwhat (is|was|are|did) .*\b(known|famous|popular) for\b|\bcontribut\w+\b|\bknown for\b",
        "notable work|occupation",
    ),
    (
        r"\b(school|college|university|educated|study|studied|graduate[sd]?|attend(ed)?|degree|alma mater)\b",
        "educated at",
    ),
    (
        r"\bkind of (music|film|movie|book|game|show|tv)\b|\bgenres?\b|"
        r"\btype of (music|film|movie|book|game|show)\b|\bstyle\b|\bwhat (kind|type|sort)\b",
        "genre",
    ),
    (r"\b(plays?|played) for\b|\bteams?\b|\bclubs?\b", "member of sports team"),
    (r"\bpositions?\b.*\bplay|\bplay.*\bposition", "position played on team / speciality"),
    (r"\b(instruments?|guitar|piano|drums)\b", "instrument"),
    (r"\bcurrency\b|\bmoney\b|\bdollars?\b|\bcoins?\b", "currency"),
    (r"\btime ?zone\b|\bwhat time\b", "located in time zone"),
    (r"\blanguages?\b.*\b(speak|spoken|official|used?)\b|\bspeak\b|\bdialect\b", "official language|language used"),
    (r"\blanguages?\b", "original language of film or TV show|language of work or name|official language"),
    (
        r"\b(population|inhabitants|people)\b.*\b(live|have|in|of)\b|\bhow (big|large|populous)\b|"
        r"\bmany people\b",
        "population",
    ),
    (r"\bpopulous\b|\bpopulated\b|\bmost people\b", "population"),
    (r"\bgovernment\b", "basic form of government"),
    (
        r"\b(prime minister|president|governor|ruler|leader|rules|leads)\b",
        "head of government|head of state|position held",
    ),
    (r"\bmayor\b", "head of government"),
    (r"\bking\b|\bqueen\b|\bmonarch\b|\bemperor\b", "head of state|position held"),
    (r"\b(ceo|chief executive)\b", "chief executive officer"),
    (r"\bcoach(es|ed)?\b", "head coach"),
    (r"\bowns?\b|\bowned\b|\bowner\b", "owned by"),
    (r"\bborder(s|ing|ed)?\b|\bnext to\b", "shares border with"),
    (r"\b(religions?|believe|faith|church)\b", "religion or worldview"),
    (r"\bpart(y|ies)\b", "member of political party"),
    (r"\bpublish(ed|er|es)\b", "publisher"),
    (r"\bdevelop(ed|er|ers|s)?\b|\bmade\b", "developer|manufacturer"),
    (r"\b(record label|label|signed)\b", "record label"),
    (r"\b(gender|sex|male|female|man|woman)\b", "sex or gender"),
    (r"\brace\b|\bethnic(ity)?\b", "ethnic group"),
    (r"\b(headquarters?|based)\b", "headquarters location"),
    (r"\b(stadium|arena|home field|home ground)\b|\bplay(s|ed)? (at|home)\b", "home venue"),
    (r"\b(league|conference|division)\b", "league or competition|league"),
    (r"\bsports?\b", "sport"),
    (r"\bawards?\b|\bwon\b|\bwin\b|\bprizes?\b|\bmedals?\b", "award received|winner"),
    (r"\b(influence|influenced|inspired|inspiration)\b", "influenced by"),
    (r"\b(wars?|battles?|fought|fight|conflict)\b", "conflict|participant in|part of"),
    (r"\btall(er|est)?\b", "height"),
    (r"\bhigh(er|est)?\b", "elevation above sea level|height"),
    (r"\blong(er|est)?\b", "length|duration"),
    (r"\bdeep(er|est)?\b", "vertical depth|maximum depth|depth|depth"),
    (r"\b(large|larger|largest|big|bigger|biggest|small|smaller|smallest|size)\b", "area|population"),
    (r"\bheav(y|ier|iest)\b|\bweighs?\b", "mass"),
    (r"\b(rich|richest|net worth)\b", "net worth"),
    (r"\b(old|older|oldest|young|younger|youngest)\b", "date of birth|inception"),
    (r"\bfirst\b|\bearliest\b|\blatest\b|\blast\b", "point in time|inception|publication date"),
    (r"\b(flow|flows|empties|drain)\b", "mouth of the watercourse"),
    (r"\bsource\b|\bbegin\b", "origin of the watercourse"),
    (r"\bcross(es|ed)?\b", "crosses"),
    (r"\bnamed (after|for)\b", "named after"),
    (r"\bcapital\b", "capital|capital of"),
    (r"\b(continents?)\b", "continent"),
    (r"\barchitects?\b|\bdesign(ed|er|s)?\b", "architect|designed by|designer"),
    (r"\b(tv|television|network|channel|broadcast)\b", "original broadcaster"),
    (r"\bnext in\b|\bafter\b|\bsucceed(ed)?\b", "replaced by|followed by"),
    (r"\bbefore\b|\bpreced(ed|e)\b", "replaces|follows"),
    (r"\bmoons?\b|\borbits?\b", "parent astronomical body"),
    (r"\bmembers?\b", "has part|has part(s)|member of"),
    (r"\bplatforms?\b|\bconsoles?\b", "platform"),
    (r"\bmodes?\b|\bmultiplayer\b|\bsingle[- ]player\b", "game mode"),
    (r"\bfilmed\b|\bshot (in|at)\b", "filming location"),
    (r"\bset in\b|\btake place\b|\btakes place\b", "narrative location"),
    (r"\babout\b|\bsubject\b|\bdepict(s|ed)?\b", "main subject"),
    (r"\bzip code\b|\bpostal\b", "postal code"),
    (r"\barea code\b|\bdial(l)?ing\b", "local dialing code"),
    (r"\bcounty seat\b", "capital"),
    (r"\bcounty\b", "located in the administrative territorial entity"),
    (
        r"\bwhat (is|are|was|were) (a |an |the )?\S+$|\bwho (is|was|are|were) \S+( \S+)?( \S+)?$",
        "occupation|instance of",
    ),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), tuple(map(fold, names.split("|")))) for pattern, names in _PHRASES)


@lru_cache(1024)
def spoken_for(question: str) -> tuple[str, ...]:
    """Return the folded names that the phrases of a folded question speak for."""
    return tuple(dict.fromkeys(name for pattern, names in _COMPILED if pattern.search(question) for name in names))
