"""Words that deny, limit, doubt or oblige, in a dozen languages: what makes a clause say the opposite, or less.

`denies` is strict: the clause says that something is not so, or no longer. `limits` is broad: it takes something
back in any way (only, at most, instead, avoid, allergic). A clause that limits is never held against one that denies.
"""

from __future__ import annotations

import re
from typing import Final

from commonplace.text.content import alike, bare, clauses, content, is_wide, words
from commonplace.text.numerals import WORDS, numerals
from commonplace.text.patterns import pattern

_DENIES: Final = pattern(
    r"\b(?:not|no|nein|nee|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|didnt|isnt|cant|wont"
    r"|stop(?:s|ped|ping)?(?! (?:every|each|by|over|in|at|on|for)\b)|quit|refus\w+|cancel\w*|dropp?ed|\w+-free|reject\w*|dismiss\w*|declin\w+|abandon\w*|revoked?|banned|forbid\w*|forbidden|ruled out"
    r"|nicht|nichts|kein\w*|nie|niemals|ohne|\w{4,}frei(?:e[mnrs]?)?|weder|abgesagt|storniert|gestrichen|verboten|entfällt|verworfen|ausgeschlossen"
    r"|ne (?=(?:\w+ ){1,3}(?:pas|plus|personne|ni))|n['’]|pas|jamais|sans|rien|aucune?|annulée?s?|interdit\w*|supprimée?s?|écartée?s?"
    r"|nunca|jamás|sin|ningun\w*|ningún|nada|nadie|tampoco|cancelad\w+|anulad\w+|prohibid\w+|descart\w+"
    r"|non|(?-i:mai)(?= (?:in|con|a|di|più|le|il|la)\b)|senza|né(?= .{1,40}\bné\b)|nessun\w*|niente|nulla|annullat\w+|vietat\w+|scartat\w+"
    r"|não|nem|sem|ninguém|nenhum\w*|jamais|cancelad\w+|proibid\w+"
    r"|не|нет|ни|никогда|без|нельзя|отмен\w+|запрещ\w+|ничего|никаких|никто"
    r"|nie|nigdy|bez|żadn\w+|nic|odwołan\w+|anulowan\w+|zakaz\w*"
    r"|niet|geen|nooit|zonder|inte|aldrig|utan|ingen|değil|yok|hiç"
    # no longer
    r"|aufgehört|arrêtée? d['’e]|dej(?:é|ó|ado|amos|aron) de|smess[oaie] d['’i]|deix(?:ei|ou|ámos|amos|aram) de|par(?:ei|ou) de|перестал\w*|przestał\w*|gestopt)\b"
    r"|不(?![过但仅管错])|(?<![特区])[別别](?![人的墅])|未(?!来)|[没勿無无]|取消|禁止|拒绝|停止|停[接用办售]|ない|なし|ません|なく|ず(?:に|、|。)|(?<=[りわべせれめけかたさ])ず(?![つれか])|やめ|見送[らりるっ]|だめ|ダメ|지\s?않|아니|안\s|(?<!잘)못(?:\s|하|해|한|할|합|했)|없|말[고아라래자]|마세요|금지|취소|빼",
    re.IGNORECASE,
)
_UNTIL: Final = "(?:before|until|vor|bevor|avant|antes|hasta|prima|até|раньше|до|przed|voor)"
_UNCHANGED: Final = pattern(
    r"\b(?:not|\w+n['’]t|never|nicht|no|ne|non|não|не|nie)\b.{0,12}\b(?:chang\w*|geändert|ändert|verändert|cambi\w*|mud[aeo]\w*"
    r"|измен\w*|меня\w*|zmieni\w*)|\bcan['’]t wait\b|\b(?:no|not an?|kein|ohne|sans|aucun|sin|ningún|senza|nessun|sem|nenhum|без|bez|żaden|geen|zonder|inga?|utan) (?:problem\w*|problème\w*|проблем\w*|issues?)\b"
    r"|\b(?:not|\w+n['’]t|never|nicht|kein\w*|pas|jamais|no|nunca|non|não|не|nie|niet)"
    rf" (?:{_UNTIL}\b(?=\s\w)|(?:\w+ ){{1,2}}{_UNTIL}\b(?=\s(?:\d+|{'|'.join(WORDS)})\b))"  # `nie vor sechs`
    r"|没问题|問題な[いくし]|문제\s?없|変わら(?:ない|ず)|不变|没变|变化不大|그대로",
    re.IGNORECASE,
)
_NONE: Final = pattern(  # right before what there is none of
    r"\b(?:no|neither|nor|without|kein(?:e[nmrs]?)?|ohne|weder|(?<!nur\s)noch|(?:pas|plus|jamais) d[eu]s?|sans|aucune?|ni|sin|ning[uú]na?|nada de|senza|nessuna?|né|sem|nenhuma?"
    r"|nem|без|никаких|bez|żadn\w+|geen|zonder|inga?|utan|(?:do|does|did)(?:n['’]t| not) (?:want|need|like|eat|drink))\s(?:(?:any|the|my|le|la|les|el|los|las|il|lo|gli|o|a|os|as|der|die|das)\s)?"
    r"|\b(?:(?:pas|plus) d|nessun|sans l|senza l)['’]",
    re.IGNORECASE,
)
_WITHOUT: Final = pattern(r"\b(?:without|ohne|sans|sin|senza|sem|без|bez|zonder|utan)\b", re.IGNORECASE)
_NOT: Final = pattern(
    r"\b(?:not|no|never|cannot|\w+n['’]t|nobody|nicht|kein\w*|nie|niemals|niemand|ne(?= (?:\w+ ){1,3}(?:pas|plus|jamais|rien|aucun))|pas|jamais|aucune?|nunca|nadie|ningun\w*|ningún|non|mai|nessun\w*"
    r"|não|ninguém|nenhum\w*|не|нет|нельзя|никогда|nigdy|żadn\w+|niet|geen|nooit|inte|aldrig|inga?)\b|\bn['’](?=\w)",
    re.IGNORECASE,
)
_OBJECT_WORDS: Final = 3  # of what a clause says that there is none of

_LIMITS: Final = pattern(
    r"\b(?:only|spare me|(?:is|are|was|were|all|already|fully) (?:full(?! of\b)|booked)|lost|sold out|ausgebucht|complète?s?|agotad\w+|esaurit\w+|esgotad\w+|un(?!d)\w{2,}ed|at most|at least|max(?:imum)?|up to|more than|less|under|below|over|limit\w*|instead|rather|avoid\w*|except\w*|unless|off|is out|danger\w*|harmful|exclud\w*|leave (?:\w+ )?out"
    r"|allerg\w*|\w*intoleran\w*|taboos?|tabus?|no-?gos?|teetotal\w*|abstinen\w*|non-?\w{4,}er|hat(?:e|es|ed|ing)|dislik\w*|bor(?:es|ed|ing)|annoy\w*|detest\w*|against|away|free|until|till|no longer|any ?more|used to|before|former\w*|previously"
    r"|was|were|had|earlier|g[ai]v\w+ up|forget|left|gone|in place of|skip\w*|drop|binned|improv\w*|\w*verbesser\w*|amélior\w*|mejorar|miglior\w*|popraw\w*|улучш\w*|remove\w*|delet\w*|fail\w*|lack\w*|miss\w*|unable|too|replac\w*|switch\w*|chang\w*|mov(?:e|ed|es|ing)|while|wants?|postpon\w*|push\w*|slip\w*|clos\w+|end(?:s|ed|ing)?|bans?|banned|prohibition|sick|hold"
    r"|nur|erst|ende|verlor\w*|nicht\w{4,}|gefährlich\w*|aufge(?:hör|geb)\w*|höchstens|maximal|mindestens|bis zu|mehr als|weniger|unter|über|statt\w*|sondern|vermeid\w*|außer|allergi\w*|unverträg\w*|\w+unverträg\w*|verträgt|hass\w*|nerv\w*|stört|\w*verbot\w*|\w*verzicht\w*|\w+freie?[nrms]?|gegen|weg|frei|mehr|früher|bisher|war|wegen|jetzt|neu\w*"
    r"|perdue?s?|seulement|uniquement|ne \w+ que|maximum|moins|plus|au lieu|plutôt|évit\w*|sauf|intolér\w*|détest\w*|horreur|contre|déteste|libre|avant|arrêt\w*|ferm\w+|était|exclue?s?|interdiction\w*"
    r"|ni un[oa]?|falta\w*|sólo|solo|solamente|peligros\w*|máximo|como mucho|menos|más de|en lugar|en vez|evit\w*|salvo|excepto|intoleran\w*|odi\w*|aburr\w*|molest\w*|contra|libre|libra|antes|dej\w+|cerrad\w+|era|hasta|prohibición|veto|esclus[aeio]"
    r"|soltanto|solamente|pericolos\w*|massimo|al massimo|meno|più di|invece|anziché|ora|tranne|intolleran\w*|allergi\w*|lascia|chius\w+|prima|fino|divieto|esclus[aeio]|proibição|apenas|só|somente|perigos\w*|alérgic\w*|em vez|exceto|até|metade|fechad\w+"
    r"|только|опасн\w*|максимум|не более|больше|меньше|вместо|кроме|аллерг\w*|ненавид\w*|терпеть|против|раньше|пока|до|исключ\w*|запрет\w*"
    r"|tylko|najwyżej|maksymalnie|więcej|mniej|zamiast|oprócz|alergi\w*|nienawidz\w*|unika\w*|wcześniej"
    r"|alleen|maximaal|hooguit|behalve|vermijd\w*|\w*verbod\w*|\w*förbud\w*|bara|endast|högst|undvik\w*)\b"
    r"|忌|以前|之前|曾|原先|예전|이전|只|仅|最多|至多|以内|以下|避免|除了|过敏|讨厌|代替|改|换|推迟|しか|だけ|まで|以内|以下|苦手|嫌|アレルギー|避け|代わり|変更|만|최대|이하|대신|알레르기|제외|싫",
    re.IGNORECASE,
)
_UNDECIDED: Final = pattern(
    # undecided
    r"\b(?:undecided|undetermined|open question|still open|(?:not|\w*n['’]t)(?: yet)? decided?|(?:keep|kept|leave|left) (?:it |that )?open|no (?:answer|reply|decision)|offen|unklar|unentschieden|nicht entschieden|indécis\w*"
    r"|pas (?:encore )?décidée?|pendiente|sin decidir|no (?:lo )?(?:he|ha|hemos|está|se ha) decidid[oa]|da decidere|si decide|riparl\w+|dobbiamo decidere|non (?:ho|ha|abbiamo) (?:ancora )?deciso|não (?:est\w+ |foi )?decid\w+|non è (?:ancora )?decis[oa]|por decidir|не реш[её]?[нлш]\w*|nie zdecydowa\w+"
    r"|(?:nog )?niet besl(?:ist|oten)|inte bestämt"
    r"|(?:nothing|not|\w*n['’]t)(?:['’]s| is| has been| been)?(?: \w+)? (?:signed|agreed|settled|confirmed|booked|final|fixed)(?: on)?(?: yet)?|up in the air|tbd"
    r"|(?:noch )?nicht fest|noch nichts (?:entschieden|fest|unterschrieben|gebucht)|nichts entschieden|rien (?:encore )?(?:décidé|signé|confirmé|fixé)|pas (?:encore )?(?:signé|confirmé|fixé)e?"
    r"|no (?:lo )?(?:tiene|tengo|tenemos) (?:nada )?claro|nada (?:está )?(?:decidido|firmado|confirmado)|niente (?:è )?(?:deciso|firmato)|nada (?:está )?(?:decidido|assinado)"
    r"|not (?:yet )?(?:known|chosen|set)(?: yet)?|planning stage|(?:noch )?zu klären|noch kein\w* \w+|à (?:définir|confirmer|préciser|fixer)|por (?:definir|confirmar|concretar)"
    r"|(?:da|a) (?:definire|confermare|stabilire|definir|confirmar|combinar)|do (?:ustalenia|potwierdzenia)|nie ?ustalon\w*|уточня\w+|ещё не (?:выбран|назначен)\w*|nog niet bekend"
    r"|ничего не решен\w*|ничего не подписа\w*|nic nie (?:jest )?(?:postanowion\w+|podpisan\w+)|nog niets (?:beslist|getekend))\b|未定|考え中|迷って|待定|未決|没想好|要不要|没决定|没定|決めてい?ない|決まって|못 정|안 정"
    # not sure
    r"|\b(?:unsure|(?:not|\w*n['’]t)(?: \w+)? (?:sure|certain|convinced)|nicht (?:\w+ )?(?:sicher|überzeugt)|pas (?:\w+ )?(?:sûre?|certaine?s?|convaincue?s?)|no (?:\w+ )?(?:segur[oa]|convencid[oa])|no me convence"
    r"|non \w+ (?:\w+ )?(?:sicur[oa]|convint[oa])|não (?:tenho|estou|está) (?:\w+ )?(?:a certeza|certeza|cert[oa]|segur[oa]|convencid[oa])|не уверен\w*|сомнева\w+|nie \w+ (?:pewn\w+|pewien|przekonan\w+)"
    r"|niet (?:\w+ )?(?:zeker|overtuigd)|inte säker)\b|不确定|没把握|拿不准|自信がない|わからない|확실하지|확신",
    re.IGNORECASE,
)
_SAID_NO: Final = pattern(  # to what somebody asked for
    r"\b(?:(?:said|says?|dico|digo|dis|sagt?e?|say|zeg|zei|dit|dijo|dice|ha detto(?: di)?|disse|diz) (?:que )?(?:no|nein|non|não|nee)|(?:against|contre|против|tegen)(?: it| that)?(?=\W*\Z)|refused|declined|rejected|turned (?:it|that|them|him|her|us) down"
    r"|dagegen|(?:hat(?:te)? )?abgelehnt|weigert\w*|lehnt\w* (?:\w+ ){0,3}ab|refusé|en contra|rechaz\w+|contrari[oa]|rifiuta\w*|recus\w+|отказал\w*|odmówi\w+|przeciw\w*|geweigerd|afgewezen)\b"
    r"|(?:拒绝|不同意|反对|没要|没答应)了?|断[らっりる]|反対|거절|반대",
    re.IGNORECASE,
)
_DOUBTS: Final = pattern(
    # perhaps
    r"\b(?:either .{1,80}? or|entweder .{1,80}? oder|soit .{1,80}? soit|(?:an?|one|the|eine|une|una|uma|un['’]) ?id[eé]e?a?|waver\w*|lean\w* (?:towards?|to)|torn between|(?:was|were) (?:meant|supposed|going) to|(?:sollte|wollte)n? eigentlich|(?:devai[ts]|iba|doveva|deveria) \w+(?:r|re)|должен был|должна была|(?-i:(?!(?:Sou|Foi|Era|Vi|Uso|Amo|Adoro|Tenho) o )[A-Z]\w+ (?:or|oder|ou|o|или|lub) [A-Z]\w+)|schwank\w*|might|maybe|perhaps|possibl[ey]|probably|vielleicht|eventuell|womöglich|möglicherweise|peut-être|éventuellement|quizás?|tal vez|a lo mejor|forse|magari|talvez"
    r"|возможно|наверное|может быть|może|chyba|być może|misschien|wellicht|kanske|belki)\b|\b(?:i|we|it|they|that|this) may\b|\A\W*may (?!(?:is|was|has|will)\b)(?-i:[a-z])"
    r"|也许|或许|以为|可能|かもしれ|たぶん|多分|(?<!道に)迷っ[たて]|아마"
    # consider
    r"|\b(?:thinking (?:of|about)|(?:talked|spoke) about (?!(?:every|any|some|no)thing\b)\w+ing|think about (?:it|that)|consider\w*|wonder\w*|do you think|whether|überleg\w*|erwäg\w*|meinst du|envisag\w*|pens(?:e|es|ons|ez|ent) (?:(?:à|y) )?[^\W\d_]+(?:er|ir|re)|pens\w* (?:\w+ )?à (?:\w+er|\w+ir|prendre|faire)|réfléchi\w*|hésit\w*|tu penses|penses-tu"
    r"|valora(?:ndo|mos)?|se plantea\w*|pensando|(?:pienso|pensamos) [^\W\d_]+[aei]r|pens(?:o|iamo) di|(?:a pensar|penso|pensamos) em|hay que decidir|crees que|valuta(?:ndo|no)?|ponder\w+|acha que|дума(?:ю|ет|ем|ют)|подума\w+|стоит ли|zastanawia\w*|myśl\w+ o|overweeg\w*|twijfel\w*|funder\w+)\b"
    r"|考虑|你觉得|検討|고민"
    # depends on something else
    r"|\b(?:depends? on|depending on|hängt \w+(?: \w+)? ab|kommt darauf an|dépend\w*|depende\w*|dipende\w*|завис\w+ от|zależy|hangt \w+ af|beror på)\b|取决于|次第|달려"
    # still between two
    r"|\b(?:still|noch|encore|toujours|todavía|aún|ainda|ancora|ещё|jeszcze|nog) (?:\w+ ){0,3}(?:between|zwischen|entre|tra|fra|между|między|tussen)\b"
    # under a condition
    r"|\b(?:as soon as|sobald|dès que|en cuanto|tan pronto|(?:non )?appena|assim que|как только|gdy tylko|jak tylko|zodra|så snart)\b"
    # not known yet
    r"|\b(?:(?:not|\w*n['’]t) know yet|don['’]t know (?:if|whether)|wei(?:ß|ss) (?:ich|es )?(?:noch )?nicht,? ob|wissen (?:wir )?noch nicht|wei(?:ß|ss)(?: ich)?(?: es)? noch nicht|(?:ne )?sai[st] pas encore|(?:aún|todavía) no (?:lo )?(?:sé|sabemos)"
    r"|no (?:lo )?(?:sé|sabemos) (?:aún|todavía)|non (?:lo )?(?:so|sappiamo) ancora|ainda não (?:sei|sabemos)|não (?:sei|sabemos) ainda|пока не зна\w+|ещё не зна\w+|jeszcze nie wie\w+|weet(?: ik)?(?: het)? nog niet)\b"
    r"|还不知道|まだ(?:分か|わか)ら|아직 모르"
    # will see
    r"|\b(?:we['’]ll see|mal sehen|wir werden sehen|on verra|veremos|ya veremos|vedremo|(?:poi )?vediamo|vamos ver|посмотрим|zobaczymy|we zien wel|vi får se)\b|看情况|再说吧?|再看|再[定议]|様子を見|두고 보",
    re.IGNORECASE,
)
_SAID_BEFORE: Final = pattern(  # a doubt of no more than whether one has said it
    r"\b(?:not|\w*n['’]t) (?:sure|know|remember|recall)(?: if| whether| that)? (?:i|we)(?:['’]ve| have| had)? (?:ever |already |actually )?(?:said|mentioned|told)\b[^:,.;–—]*"
    r"|\bwei(?:ß|ss)(?: ich)? nicht(?: mehr)?,? ob ich (?:das |es |dir )*(?:schon )?(?:mal )?(?:gesagt|erwähnt|erzählt)(?: habe?| hab)?|\bsais (?:pas|plus) si (?:je )?(?:te |l['’]|vous )*ai (?:déjà )?(?:dit|parlé|mentionné)"
    r"|\bno sé si (?:ya )?(?:te )?(?:lo )?(?:he )?(?:dije|dicho|mencion\w+|cont\w+)|\bnon so se (?:te )?l['’]ho (?:già )?dett\w|\bnão sei se (?:já )?(?:te )?(?:disse|contei|falei)",
    re.IGNORECASE,
)
_POSTPONES: Final = pattern(
    r"\b(?:postpon|deferr|verschob|aplaza|posticipa|rinvia|adiad|reporté|отлож|przełoż)\w*|推迟|延期|미루|미뤄",
    re.IGNORECASE,
)
_LASTING: Final = pattern(
    r"\b(?:always|never|must|mustn['’]t|only|every|each|weekly|monthly|daily|yearly|rules?|ban\w*|don['’]t|do not|no|not|without|allerg\w*|intoleran\w*|medic\w*|"
    r"penicillin|epilep\w*|diabet\w*|asthma\w*|pregnan\w*|insulin|emergency|contact|phone|password|prefers?|wants?|"
    r"immer|nie|muss|darf|nur|jede\w*|regeln?|kein\w*|nicht|ohne|notfall\w*|kontakt|medikament\w*|bevorzugt|toujours|jamais|doit|seulement|chaque|"
    r"règles?|pas|sans|urgence|contact|médic\w*|préfère|siempre|nunca|debe|solo|sólo|cada|reglas?|sin|emergencia|contacto|alérgi\w*|prefiere|"
    r"sempre|mai|deve|ogni|regol\w+|non|senza|emergenza|contatto|preferisce|farmac\w*|todo|toda|regra\w*|não|sem|emergência|contato|prefere|remédio\w*|"
    r"всегда|никогда|только|кажд\w+|правил\w+|не|без|нельзя|аллерг\w*|экстренн\w*|лекарств\w*|zawsze|nigdy|tylko|każd\w+|nie|bez|alergi\w*|lek\w*)\b"
    r"|不|别|勿|禁|只|必须|总是|每|过敏|紧急|联系|电话|药|必ず|いつも|毎|禁止|ない|アレルギー|緊急|連絡|薬|だけ|항상|절대|매|금지|알레르기|비상|연락|약|않",
    re.IGNORECASE,
)
_REFUSES: Final = pattern(
    r"\b(?:avoid\w*|dislik\w*|hates?|allerg\w*|intoleran\w*|exclu\w*|bann?(?:ed|s)?|no-?gos?|taboos?|off[- ]limits"
    r"|vermeid\w*|meide\w*|abneigung\w*|hasst|\w*unverträg\w*|\w*verbot\w*|tabus?|ausgeschlossen|évit\w*|déteste\w*|interdi\w*|intolér\w*"
    r"|evit\w*|al[eé]rg\w*|odia|prohib\w*|intolleran\w*|esclus\w*|vietat\w*|divieti|detesta|proib\w*"
    r"|избега\w*|аллерг\w*|исключ\w*|запре\w*|ненавид\w*|unika\w*|alergi\w*|uczulon\w*|wyklucz\w*|zakaz\w*|vermijd\w*|\w*verbod\w*|uitgesloten|undvik\w*|\w*förbud\w*)\b"
    r"|忌|避|过敏|讨厌|禁|苦手|嫌|アレルギー|피할|피하|싫|알레르기|금지|제외",
    re.IGNORECASE,
)
_ENDS: Final = pattern(
    r"\b(?:sold|g[ai]v\w+ \w+(?: \w+)? away|given away|got rid|forget|is off|called off|cancel\w*|dropp?ed|abandon\w*|scrapp?ed|binned|axed|ditched|done|finished|completed|is over|expired|fell through|died|laiss\w+ tomber"
    r"|(?:split|broke|broken) up|separated|divorced?|left me|(?:i|we)(?:['’]ve| have)?(?: just)? left(?= [\w-]+(?:\W*\Z|[,;]| and | for good))|(?:i['’]m|am) single|fired|laid off|retired|resigned|quit|c[oa]me off|ripped out|broke down|ignore"
    r"|verkauft|weggegeben|verschenkt|vergiss|abgesagt|storniert|gestrichen|verworfen|erledigt|fertig|vorbei|fällt aus|gekündigt|gestorben|geschafft|getrennt|geschieden|entlassen|in rente|abgesetzt|aufgegeben|aufgehört|streichen"
    r"|vendue?s?|donnée?s?|oublie[rz]?|annulée?s?|supprimée?s?|c['’]est fait|terminée?s?|finie?s?|tombée? à l['’]eau|morte?s?|séparée?s?|divorcée?s?|rompu|quittée?|licenciée?|démissionné|retraite|arrêté"
    r"|vend(?:í|imos|id[oa]s?|i)|regal(?:é|amos|ad[oa]s?)|olvida\w*|cancelad[oa]s?|anulad[oa]s?|descartad[oa]s?|hech[oa]s?|terminad[oa]s?|ya está|murió|separad[oa]s?|separamos|divorci\w+|rompimos|despid\w+|jubil\w+|renunci\w+|dej(?:é|amos|ado)"
    r"|vendut[oaie]|regalat[oaie]|dimentica\w*|annullat[oaie]|scartat[oaie]|fatt[oaie]|finit[oaie]|saltat[oaie]|mort[oa]|vendid[oa]s?|doei|doamos|desist\w+|esquece\w*|feit[oa]s?|acabou|acabad[oa]s?|morreu"
    r"|verkocht|weggegeven|vergeet|geannuleerd|geschrapt|gedaan|klaar|voorbij|gaat niet door|overleden"
    r"|sprzeda\w+|odda(?:łem|łam|liśmy|ne)|zapomnij|zrobion\w+|gotowe|skończ\w+|odpada|odwołan\w+|anulowan\w+|отмен\w+|прода\w+|отда(?:л|ла|ли)|забудь\w*|сделан\w*|готово|закончи\w+)\b"
    r"|分手|离婚|离职|辞职|退休|取消[吧掉]|取消了|卖了|卖掉|送人|算了|做完|办完|完成|结束|不去了|売った|売りました|あげた|譲った|忘れて|済ん|済み|終わ|完了|中止|팔았|잊어|끝났|끝냈|완료|취소",
    re.IGNORECASE,
)
_FROM_NOW: Final = pattern(
    r"\b(?:now|nowadays|these days|moved?|moving|new|left|became|again|turned|jetzt|wieder|nun|inzwischen|mittlerweile|\w*gezogen|neue?[nmrs]?|maintenant|désormais|[àd]e? nouveau"
    r"|déménag\w*|nouve(?:au|l|lle|aux)|ahora|otra vez|de nuevo|mud[aéo]\w*|nuev[oa]s?|adesso|ormai|trasferit\w*|nuov[oaie]|agora|mud(?:ei|ou|ámos|amos)|nov[oa]s?"
    r"|теперь|сейчас|переех\w*|нов(?:ый|ая|ое|ые|ой|ом|ого)|teraz|przeprowadzi\w*|now[yaei]|nu|verhuisd|nieuwe?|nya?|flyttat)\b"
    r"|现在|目前|搬|新|又|重新|再び|今は|引っ越|新しい|지금|이제|이사|새로",
    re.IGNORECASE,
)
_SWITCHES: Final = pattern(
    r"\b(?:switch\w*|chang\w*|gone|no longer|any ?more|instead|gewechselt|wechs\w+|umgestiegen|nicht mehr|statt\w*|chang\w*|ne \w+ plus|au lieu"
    r"|ya no|cambi\w*|en vez|cambiat\w*|invece|mudei|já não|em vez|переш\w*|смени\w*|больше не|вместо|zmieni\w*|już nie|zamiast|overgestapt|niet meer|bytt)\b"
    r"|换|改|变|変わ|変え|바꾸|바꿨",
    re.IGNORECASE,
)
_IN_PLACE: Final = pattern(
    r"\b(?:instead of|rather than|in place of|anstatt|statt|anstelle von|au lieu d[eu]s?|à la place d[eu]s?|plutôt qu[e'’]|en lugar de|en vez de|invece d[ie]\w*|al posto d\w+|anziché|(?:em vez|no lugar) d[eoa]s?"
    r"|вместо|zamiast|in plaats van|i stället för)\b",
    re.IGNORECASE,
)
_MAY: Final = pattern(  # of a statement; who talks to the assistant may allow something with it
    r"\b(?:(?-i:may)(?= [a-z])|could|might|könnten?|dürften?|pourrai\w+|podr[ií]a\w*|potrebbe\w*|poderia\w*|mogłab?y?|zou(?:den)?)\b"
    r"|\bмо(?:жет|гут|г бы|гла бы)\b",
    re.IGNORECASE,
)
_ANSWERS: Final = pattern(  # without a comma: `no she's retired`
    r"\A\W*(?:no|nope|nah|nein|non|não|нет|nie|nee)\s"
    r"(?=(?:i|he|she|it|we|they|ich|er|sie|es|wir|je|il|elle|ils|elles|nous|eu|el[ea]s?|nós|я|он|она|мы|они|ik|hij|zij|wij)\b)",
    re.IGNORECASE,
)
_LIGHT: Final = pattern(
    r"(?:mach|hab|mag|kann|koenn|konn|will|brauch|nehm|ess|trink|woll|moch)\w*"
)  # bare verbs of German
_COMPOUND: Final = 5  # characters that no ending has
_PAIRS: Final = 2


def denies(text: str) -> bool:
    """True if a clause says that something is not so; that nothing changed is no denial."""
    return _DENIES.search(_meant(text)) is not None


def _meant(text: str) -> str:
    """Return a text without the denials that deny nothing: nothing changed, or not without something."""
    said = _UNCHANGED.sub(" ", text)
    if _WITHOUT.search(said) is None or _NOT.search(said) is None:
        return said
    for part in clauses(said):
        if _WITHOUT.search(part) and _NOT.search(part):
            said = said.replace(part, _NOT.sub(" ", _WITHOUT.sub(" ", part)), 1)
    return said


def objects(text: str) -> list[frozenset[str]]:
    """Return each thing that a clause says there is none of (`no nuts`, `without a lift`): the words right behind."""
    said = _meant(text)
    if is_wide(said):
        return [found] if denies(text) and (found := denied(text)) else []
    _, *behind = _NONE.split(said)
    return [thing for each in behind if (thing := frozenset(_next_words(each)))]


def _next_words(text: str) -> list[str]:
    """Return the words of content at the head of a text, up to the first other word or sign."""
    found: list[str] = []
    for word in text.split()[:_OBJECT_WORDS]:
        named = _ordered(word)
        found += named
        if not named or not word[-1].isalnum():
            break
    return found


def denied(text: str) -> frozenset[str]:
    """Return what a clause denies: the word behind its first denial, else the one before it."""
    said = _ANSWERS.sub("", _meant(text))
    match = _DENIES.search(said)
    if match is None:
        return frozenset()
    behind, before = _ordered(said[match.end() :]), _ordered(said[: match.start()])
    if not behind and numerals(said[match.end() :]):  # `at 12.30, not 1`
        return frozenset()
    if not behind and len(before) > 1 and _LIGHT.fullmatch(before[-1]):  # `Kaffee mag ich nicht`
        return frozenset(before[-2:])
    if is_wide(said):  # pairs of signs: two make a word, and particles follow it
        chinese = match.group()[0] in "不没别別勿無无未取禁拒"
        return frozenset(behind[:_PAIRS] if chinese and behind else before[-2 * _PAIRS :])
    if match.group().startswith("kein") and not behind:  # `Einen Hund will ich keinen`
        return frozenset(before[:1])
    return frozenset(behind[:1] or before[-1:])


def _ordered(text: str) -> list[str]:
    known = content(text)
    return [word for word in words(text) if word in known]


def before(text: str) -> str:
    """Return what is before the first denial of a clause."""
    match = _DENIES.search(text)
    return text[: match.start()] if match else ""


def without(text: str) -> str:
    """Return a clause without the words by which it denies or limits."""
    return _DENIES.sub(" ", _LIMITS.sub(" ", text))


def limits(text: str, but: frozenset[str] = frozenset()) -> bool:
    """True if a clause takes something back, in words unlike some that are given (`Laktose`, `Laktoseintoleranz`)."""
    found = [bare(match.group()) for match in _LIMITS.finditer(text)]
    return any(not any(alike(word, each) and len(word) < len(each) + _COMPOUND for each in but) for word in found)


def refuses(heading: str) -> bool:
    """True if a heading says that what is below it is not wanted."""
    return denies(heading) or _REFUSES.search(heading) is not None


def doubts(text: str) -> bool:
    """True if a clause says that something may be so, or puts it off."""
    return supposes(text) or _POSTPONES.search(text) is not None


def supposes(text: str) -> bool:
    """True if a clause says that something may be so."""
    return _DOUBTS.search(_SAID_BEFORE.sub(" ", text)) is not None or undecided(text)


def allows_for(text: str) -> bool:
    """True if a statement says that something may be so, or may be done."""
    return _MAY.search(text) is not None


def undecided(text: str) -> bool:
    """True if a clause says that something is not decided or not sure."""
    return _UNDECIDED.search(_SAID_BEFORE.sub(" ", text)) is not None


def asserted(text: str) -> str:
    """Return what is so instead of something else, by a clause (`tea instead of coffee`); empty if it names none."""
    front = _IN_PLACE.split(text, maxsplit=1)
    return front[0].strip() if len(front) > 1 else ""


def only_doubts(text: str) -> bool:
    """True if a clause doubts and says nothing else, so that it is about what was said before."""
    return supposes(text) and not content(_UNDECIDED.sub(" ", _DOUBTS.sub(" ", text)))


def says_no(text: str) -> bool:
    """True if a clause says that something was turned down."""
    return _SAID_NO.search(text) is not None


def leaves_open(text: str) -> bool:
    """True if a clause only says that what is before it in its sentence is not decided."""
    return undecided(text) and len(content(_UNDECIDED.sub(" ", text))) <= 1


def over(sentence: str) -> list[frozenset[str]]:
    """Return what a sentence that asks nothing says is over or replaced, clause by clause."""
    if sentence.rstrip().endswith(("?", "？")):
        return []
    parts = clauses(sentence)
    replaced = [rest for part in parts for rest in _IN_PLACE.split(part, maxsplit=1)[1:]]
    ended = [_ENDS.sub(" ", part) for part in parts if _ENDS.search(part)]
    return [about for part in (*ended, *replaced) if (about := content(part))]


def changes(sentence: str, *, wholly: bool = False) -> bool:
    """True if a sentence says that something is so from now on; `wholly`, that it is so instead of another."""
    return _SWITCHES.search(sentence) is not None or (not wholly and _FROM_NOW.search(sentence) is not None)


def turns(sentence: str) -> bool:
    """True if a sentence says that something is over or so from now on."""
    return changes(sentence) or ends(sentence)


def ends(sentence: str) -> bool:
    """True if a sentence that asks nothing says that something is over: sold, done, called off, to be forgotten."""
    return _ENDS.search(sentence) is not None and not sentence.rstrip().endswith(("?", "？"))


def lasts(text: str) -> bool:
    """True if a statement orders, forbids, recurs or names a contact: what no compression may leave out."""
    return _LASTING.search(text) is not None
