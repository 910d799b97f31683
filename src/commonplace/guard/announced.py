"""Phrases that announce a text as foreign, or as one's own, in English, German, French, Spanish and Chinese.

Data alone: each name has its alternatives, case ignored; `{{name}}` is replaced by the fragments of that name.
A Python module and not a rule file, because recall reads it too and starts without a parser.
"""

from __future__ import annotations

from typing import Final

FRAGMENTS: Final[dict[str, tuple[str, ...]]] = {
    # What is written by others and pasted; never `rules`, `preferences`, `profile`, which are a person's own.
    "thing": (
        (
            r"(?:\w+[- ]){0,3}?(?:read ?me|articles?|pages?|web ?sites?|e-?mails?|mails?|messages?|letters?|logs?|"
            r"output|transcripts?|chats?|threads?|posts?|posting|comments?|reviews?|tickets?|issues?|pull requests?|"
            r"docs?|documentation|manual|guide|changelog|contract|config(?:uration)?(?: file)?|files?|text|excerpts?|"
            r"passages?|paragraphs?|snippets?|code|json|yaml|csv|errors?|traceback|stack ?trace|reports?|"
            r"minutes|memo|"
            r"announcement|newsletter|invitation|invoice|spec(?:ification)?|descriptions?|listing|ad|"
            r"policy|terms|faq|"
            r"wiki|forum|blog|tweets?|captions?|prompt|press release|speech|quotes?|poem|lyrics|summary|results?|"
            r"responses?|repl(?:y|ies)|answers?|statement|agenda|handbook|brochure|leaflet|flyer|sign|licen[cs]e|"
            r"attachments?|documents?|feedback|pdf|screenshot|scan|slides?|conversation|discussion|dialogue|feed|"
            r"advert(?:isement)?|label|notice|template|(?:meeting|release|call|patch|lecture|class|field|call) notes)"
        ),
        (
            r"(?:[\w-]+ ){0,2}?(?:\w*liesmich|artikel|(?:web)?seiten?|e-?mails?|nachrichten?|briefe?|\w*protokoll|"
            r"ausgabe|verlauf|chat(?:verlauf)?|beitr[aä]ge?|kommentare?|rezension(?:en)?|bewertung(?:en)?|"
            r"\w*dokument(?:ation)?|handbuch|anleitung|\w*vertrag|\w*datei|\w*text|auszug|abschnitt|absatz|"
            r"fehler(?:meldung)?|bericht|ank[uü]ndigung|einladung|rechnung|beschreibung|(?:stellen)?anzeige|"
            r"richtlinien?|forum|rede|zitat|gedicht|antwort|anhang|aushang|flyer|\w*zettel|rundschreiben|mitteilung|"
            r"skript|unterlagen)"
        ),
        (
            r"(?:[\w-]+ ){0,2}?(?:lisez-?moi|articles?|pages?|site|courriels?|mails?|e-?mails?|messages?|lettres?|"
            r"journa(?:l|ux)|sortie|transcription|discussion|fil|commentaires?|avis|tickets?|documentation|manuel|"
            r"guide|contrat|fichiers?|textes?|extraits?|passages?|paragraphes?|erreurs?|rapport|compte[- ]rendu|"
            r"annonce|invitation|facture|description|r[eè]glement|forum|discours|citations?|po[eè]me|r[eé]ponses?|"
            r"pi[eè]ce jointe|documents?|note de service|conversation|affiche|circulaire)"
        ),
        (
            r"(?:[\w-]+ ){0,2}?(?:l[eé]eme|art[ií]culos?|p[aá]ginas?|sitio|web|correos?|e-?mails?|mensajes?|cartas?|"
            r"registros?|salida|transcripci[oó]n|chat|hilo|comentarios?|rese[nñ]as?|incidencias?|documentaci[oó]n|"
            r"manual|gu[ií]a|contrato|archivos?|ficheros?|textos?|fragmentos?|extractos?|pasajes?|p[aá]rrafos?|"
            r"error(?:es)?|informe|acta|anuncio|invitaci[oó]n|factura|descripci[oó]n|pol[ií]tica|foro|"
            r"discurso|citas?|"
            r"poema|respuestas?|adjunto|documentos?|circular|conversaci[oó]n|aviso|nota de prensa)"
        ),
    ),
    "thing_zh": (
        (
            r"(?:自述|文章|网页|页面|网站|邮件|电邮|消息|信息|短信|信|日志|输出|记录|聊天|对话|帖子|评论|"
            r"回复|工单|文档|手册|指南|合同|配置|文件|文本|文字|原文|摘录|段落|代码|报错|错误|"
            r"报告|纪要|公告|通知|邀请|发票|说明书?|招聘|政策|条款|维基|论坛|博客|演讲|引文|诗|歌词|答案|"
            r"附件|资料|内容|群|稿)"
        ),
    ),
    "mine": (
        r"(?:my|our|mine)",
        r"(?:mein|unser)e?[nmrs]?",
        r"(?:mon|ma|mes|notre|nos)",
        r"(?:mis?|nuestr[ao]s?)",
    ),
    # A possessor right before the thing; `my boss's mail` is the boss's.
    "not_mine": (
        (
            r"(?!(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|nos|notre|mis?|"
            r"nuestr\w{1,2}) (?![\w-]+(?:'s|’s)\b)|我的|"
            r"我们的)"
        ),
    ),
    "the": (
        (
            r"(?:the|an?|this|that|these|those|his|her|their|its|your|some|part of the|one of the|what the|"
            r"[\w-]+(?:'s|’s))"
        ),
        r"(?:de[rmns]|die|das|eine?[nmrs]?|diese?[nmrs]?|seine?[nmrs]?|ihre?[nmrs]?|vom|zum|eure?[nmrs]?)",
        r"(?:les?|la|une?|des|du|ce(?:tte|t|s)?|son|sa|ses|leurs?|votre|vos|ton|ta|tes)",
        r"(?:el|la|los|las|una?s?|este|esta|estos|estas|ese|esa|sus?|tus?|del?|al)",
    ),
}

PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    # The person's own list, settings, example or wish.
    "own": (
        (
            r"\b{{mine}} (?:[\w'’-]+ ){0,3}?(?:rules?|preferences?|profile|settings?|habits?|wishes|conventions?|"
            r"style|set-?up|schedule|aliases|requirements?|lists?|week|details|facts?|notes?|bio|routine|data|"
            r"standing \w+|defaults?|regeln?|vorlieben|w[uü]nsche|profil|einstellungen|gewohnheiten|notizen|daten|"
            r"konventionen|vorgaben|liste|r[eè]gles?|pr[eé]f[eé]rences?|r[eé]glages?|habitudes?|souhaits?|notes|"
            r"conventions?|donn[eé]es|consignes|reglas?|preferencias?|perfil|ajustes|h[aá]bitos|deseos|notas|datos|"
            r"costumbres|normas)\b"
        ),
        (
            r"\b(?:i|we)(?:['’]d)? (?:really |also |always |usually |only |just )?(?:want|prefer|like|need|expect|"
            r"would like|wish|format|write|use|work|do)\b"
        ),
        (
            r"\b(?:about (?:me|us|myself)|(?:rules|notes?|instructions?|preferences) (?:for (?:you|the assistant|"
            r"my assistant)|from me)|house rules|remember (?:this|these|about me|that|the following)|note (?:it|this|"
            r"that) down|keep (?:this|these|in mind)|\(mine\)|for (?:my|our) \w+|me:\s*\Z)"
        ),
        (
            r"\b(?:ich|wir) (?:möchten?|wollen?|will|wünschen?|mag|mögen|bevorzugen?|brauchen?|schreiben?|nutzen?|"
            r"arbeiten?)\b|[üu]ber mich|zu mir|merk\w* (?:dir|bitte)|bitte (?:dauerhaft )?merken|"
            r"regeln f[uü]r (?:dich|den assistenten)|gilt bei (?:mir|uns)"
        ),
        (
            r"\b(?:je (?:veux|voudrais|préfère|souhaite|aime|suis|écris)|j['’](?:aimerais|aime|écris|utilise)|"
            r"nous (?:voulons|préférons))\b|[aà] propos de moi|(?:sur|pour) moi|retiens|règles pour (?:toi|"
            r"l['’]assistant)|chez (?:moi|nous)"
        ),
        (
            r"\b(?:(?:yo )?(?:quiero|prefiero|quisiera|necesito|me gusta(?:r[ií]a)?n?|escribo|uso)|queremos|"
            r"preferimos)\b|sobre m[ií]\b|recuerda (?:esto|que)|reglas para (?:ti|el asistente)|en mi casa"
        ),
        (
            r"我(?:们)?(?:想|要|希望|喜欢|更喜欢|需要|的(?!(?:同事|老板|房东|朋友|上司|客户|邻居|老师|"
            r"医生|领导|妈|爸|姐|妹|哥|弟)))|关于我|个人(?:资料|信息|情况)|请?记住|"
            r"规矩|给(?:你|助手)的"
        ),
    ),
    # Words before a foreign text: `Here is the README`, `I got this mail`; what they show is matched behind them.
    "heads": (
        (
            r"\b(?:here(?:['’]?s| is| are| comes| come)|this is|these are|that['’]?s|below(?: is| are)?|see|"
            r"attached(?: is| are)?|(?:the )?following(?: is| are)?|(?:(?:i|we)(?:['’]ve| have|['’]m|"
            r" am)? )?(?:just )?(?:got|received|found|copied|pasted?|pasting|copying|saw|forward(?:ed|"
            r"ing)?|quot(?:ed|"
            r"ing)|scanned|screenshotted)|(?:it|this|that) (?:came|is|was) (?:from|in|on)|(?:copied|taken|pasted|"
            r"quoted|quote|excerpt|text|straight|posted|sent) (?:from|by|of)|fwd|fyi)\b"
        ),
        r"^\W*(?:from|in|on|per|as per|according to|quoting)\b",
        (
            r"\b(?:hier (?:ist|sind|kommt|mal|steht)|(?:das|dies) (?:ist|sind)|anbei|im anhang|folgende[rsn]?|unten|"
            r"(?:(?:ich|wir) )?(?:hab(?:e|en)?|bekam) (?:\w+ ){0,2}?(?=(?:\w+ ){1,4}(?:bekommen|erhalten|gefunden|"
            r"kopiert))|aus|gefunden|kopiert|weitergeleitet|laut|zitat)\b"
        ),
        (
            r"(?<!\w)(?:voici|voil[aà]|c['’]est|ci-(?:dessous|joint\w*)|en pi[eè]ce jointe|(?:j['’]ai|on a|"
            r"nous avons) (?:re[cç]u|trouv[eé]|copi[eé]|coll[eé])|re[cç]u|trouv[eé]|copi[eé]|je (?:te |"
            r"vous )?(?:transf[eè]re|colle|copie)|d['’]apr[eè]s|selon|extraits?|tir[eé] d[eu])(?!\w)"
        ),
        (
            r"(?<!\w)(?:aqu[ií] (?:est[aá]n?|tienes|va|te (?:dejo|paso|pego|copio))|(?:este|esta|esto) es|adjunto|"
            r"abajo|(?:te|le) (?:paso|pego|copio|reenv[ií]o|dejo)|(?:he |hemos )?(?:recib(?:ido|[ií])|encontr(?:ado|"
            r"[eé])|copi(?:ado|[eé])|pegado)|me (?:lleg[oó]|ha llegado|mandaron|enviaron|sali[oó])|seg[uú]n|extracto|"
            r"sacado de)(?!\w)"
        ),
    ),
    # What those words show, possibly behind a preposition; `my profile` is none.
    "shown": (
        (
            r":? (?:(?:(?:with|in|from|on|by|of|is|me|this|it|here|an?|auf|von|aus|mit|bei|mal|noch|die|der|das|dans|"
            r"sur|de|par|ceci|cela|en|del|por|esto|a|que|dice) )|[ld]['’])*{{not_mine}}(?:{{the}} |"
            r"[ld]['’])?{{thing}}\b"
        ),
    ),
    # A line that is the name of a foreign text: `My boss's mail:`, `E-mail from Bob:`, `The page says:`.
    "named": (
        (
            r"^\W*(?:(?:{{mine}} )?[\w-]+(?:'s|’s)|his|her|their|{{not_mine}}(?:{{the}} )?(?=[^:\n]{3,60} (?:from|by|"
            r"von|vom|aus|de|du|del|says|reads|states|contains|goes)\b)) ?{{thing}}(?: (?:from|by|von|vom|aus|de|du|"
            r"del|says|reads|states|contains|goes)\b[^:\n]{0,60})?\s*[:：]"
        ),
    ),
    # Words that show one without naming it.
    "shows": (
        r"\b(?:i|we)(?:['’]ve| have)? (?:copied|pasted|forwarded|scanned|attached)\b",
        (
            r"\b(?:says|reads|contains?|shows?|wrote|broke with|fails? with|failed with|got|gives?|throws?|prints?|"
            r"returns?|see|saw) (?:me )?(?:this|that|the following)\s*:?\s*\Z"
        ),
        (
            r"\b(?:steht|stand|schreibt|kopiert|eingefügt|weitergeleitet|bekommen|erhalten|gefunden|"
            r"reinkopiert)(?: (?:das|dies|folgendes|dies(?:es)? hier))?\s*:\s*\Z"
        ),
        (
            r"(?:这是|以下是|下面是|如下|附上|附件(?:是|里)?|这里是|贴(?:一下|上)?|转发|转自|收到(?:了)?|"
            r"看到(?:了)?|找到(?:了)?|复制(?:了)?|摘自|来自|引自|根据|"
            r"刚收到)[^。！？\n]{0,20}?(?<!我的)(?<!我们的){{thing_zh}}[^。！？\n]{0,40}[。：:]?\Z"
        ),
        (
            r"(?:网上|网站|论坛|群里|别人|同事|老板|朋友|房东|客户|邻居|老师)[^。！？\n]{0,10}(?:复制|"
            r"粘贴|转发|发来|发给我|发的|写的|看到|抄)(?:的|"
            r"了)?[^。！？\n]{0,24}[。：:]?\Z"
        ),
        r"{{thing_zh}}(?:如下|内容|里(?:是|写|说)|上(?:写|说)|是这样)[^。！？\n]{0,8}[：:]",
    ),
    # Words that ask for something to be done with a text; what it is done with is matched behind them.
    "verbs": (
        (
            r"\b(?:summari[sz]e|sum up|translate|proof-?read|paraphrase|rephrase|rewrite|shorten|explain|analy[sz]e|"
            r"fact-?check|review|edit|tl;?dr|reply to|respond to|answer|extract|classify|comment on|read through|"
            r"what do you (?:think|make) of|thoughts on|(?:draft|write|help me (?:draft|write|"
            r"with)) (?:an? )?(?:\w+ ){0,3}?(?:answer|reply|response|no|yes) to) "
        ),
    ),
    "it": (r"{{not_mine}}(?:(?:this|that|these|the following|it|him|her|them|below)\b|{{the}} {{thing}}\b)",),
    "asks_of_it": (
        (
            r"\b(?:look(?:ing)? at|check(?: out)?|see|read|go through) (?:this|these|"
            r"the following) (?:\w+ ){0,2}?(?:read ?me|article|page|web ?site|e-?mail|mail|message|letter|log|output|"
            r"transcript|chat|thread|post|comment|review|ticket|issue|docs?|contract|config|file|text|paragraph|code|"
            r"error|report|reply|answer|document)s?\b"
        ),
        r"\b(?:tl;?dr|translate|summari[sz]e|proof-?read|paraphrase)\b[^:\n]{0,40}:",
        r"\bwhat (?:does|do) (?:he|she|they|this|that|it|{{the}} [\w-]+) (?:\w+ ){0,4}?(?:want|mean|say|do)\b",
        (
            r"\b(?:fass\w*|übersetz\w*|korrigier\w*|erkl[aä]r\w*|analysier\w*|k[uü]rz\w*|lies|formulier\w*|"
            r"beantwort\w*|antworte\w*|pr[uü]f\w*) (?:mir |bitte |doch |mal |kurz |auf ){0,4}(?:das|dies\w*|den|die|"
            r"dem|folgende[nsr]?|diesen|ihm|ihr|zusammen)\b(?! (?:wichtigste|immer))|zusammenfass|was (?:will|wollen|"
            r"meint|heißt) (?:der|die|das|er|sie|dieser?)\b|was halt\w* (?:du|sie) (?:davon|von)"
        ),
        (
            r"\b(?:r[eé]sum\w+|tradui\w+|corrig\w+|expliqu\w+|analys\w+|reformul\w+|raccourci\w*|r[eé]pon\w+ [aà]|"
            r"lis) (?:-?moi |-?nous )?(?:bri[eè]vement |s['’]il te pla[iî]t |bien )?(?:ce(?:ci|la|tte|t|s)?|ça|"
            r"-?l[ea]s?|l['’]|la|les?|[aà])\b|que (?:veut|dit|demande|penses?-tu de|pensez-vous de)\b"
        ),
        (
            r"\b(?:resum\w+|tradu\w+|corrig\w+|corrij\w+|explic\w+|expl[ií]ca\w*|analiza\w*|reformula\w*|acorta\w*|"
            r"respond\w* a|contesta\w* a|lee) (?:me |por favor )?(?:est[aeo]s?|es[aeo]s?|esto|lo siguiente|el|la|los|"
            r"las|al?)\b|qu[eé] (?:quiere|dice|pide|opinas de|te parece)\b"
        ),
        (
            r"(?:总结|概括|翻译|润色|校对|改写|缩写|解释|分析|回复|归纳|看看|读一下)(?:一下|下)?(?:这|那|"
            r"以下|下面|下列|他|她|它|如下|这个|群)|(?:这|他|"
            r"她)(?:是)?(?:什么意思|想要什么|说了什么)"
        ),
    ),
    # Who says something: not `I`.
    "says": (
        (
            r"(?<!\w)(?!(?:i|we|and i|me)\b)[\w'’.-]+ (?:\w+ ){0,2}?(?:wrote|writes|says|said|told (?:me|us)|"
            r"repl(?:ied|ies)|sent (?:me|us)|posted|answered|texted|e-?mailed|messaged|commented|claims?|states?)\b"
        ),
        (
            r"\b(?:schrieb|schreibt|sagte?|meinte?|antwortete?|postete|hat (?:mir |uns )?(?:\w+ )?(?:geschrieben|"
            r"gesagt|geschickt|geantwortet)|schickte?)\b"
        ),
        r"\b(?:a (?:écrit|dit|répondu|posté|envoyé)|m['’]a (?:écrit|dit|répondu|envoyé)|écrit|dit|répond)\b",
        (
            r"\b(?:(?:me |nos )?(?:escribi[oó]|dijo|dice|respondi[oó]|contest[oó]|mand[oó]|envi[oó]|public[oó])|"
            r"ha (?:escrito|dicho|respondido))\b"
        ),
        r"(?<!我)(?<!我们)(?:写道|说道?|回复(?:了|我|道)?|发(?:来|给我|了)|回我|告诉我|留言)[^。！？\n]{0,6}\Z",
    ),
    # The person says it themselves.
    "i_say": (
        (
            r"\b(?:i|we)(?:['’](?:ve|d))?(?: (?:have|had|did|do|may|might|could|ever|never|once|already|just|also|"
            r"always|only|often|ever have|really)){0,3} (?:wrote|write|written|said|say|told|tell|repl(?:y|ied)|sent|"
            r"posted|answered|texted|commented|claim(?:ed)?|stated?)\b"
        ),
        r"\b(?:ich|wir) (?:\w+ ){0,2}?(?:schrieb(?:en)?|sag(?:t?en?|e)|mein(?:t?en?|e)|geschrieben|gesagt|gemeint)\b",
        r"\b(?:je l['’]ai|j['’]ai|je|nous avons) (?:\w+ ){0,2}?(?:écrit|dit|dis|répondu)\b",
    ),
    # A label before a text that one question is asked of.
    "label": (
        (
            r"[ \t]*[\*#\[]*(?:the )?(?:(?:error|tool|command|server|build|test|terminal|console|system) (?:logs?|"
            r"output)|job (?:ad|advert|posting|description|listing|offer)|search results?(?: for [^:\n]{1,60})?|"
            r"context|background|document|passage|article|text|source|input|data|e-?mail|mail|message|transcript|"
            r"output|logs?|excerpt|contents?|file|attachment|retrieved(?: \w+)?|(?:search |tool )?results?|page|"
            r"web ?page|website|quote|original|error(?: message)?|documentation|docs|read ?me|review|ticket|snippet|"
            r"knowledge(?: base)?|reference|user input|post|letter|minutes|chat(?: log)?|conversation|press release|"
            r"story|paragraph|news)(?: ?#?\d+)?(?: \([^)\n]{0,60}\))?[\*\]]*[ \t]?[:：][\*]*"
        ),
        (
            r"[ \t]*[\*#\[]*(?:kontext|hintergrund|dokument|textstelle|artikel|quelle|eingabe|daten|nachricht|"
            r"protokoll|ausgabe|auszug|inhalt|datei|anhang|ergebnis(?:se)?|seite|zitat|fehler(?:meldung)?|brief|"
            r"abschnitt|text|contexte|passage|source|donn[eé]es|courriel|transcription|sortie|extrait|"
            r"contenu|fichier|"
            r"pi[eè]ce jointe|r[eé]sultats?|citation|erreur|lettre|contexto|documento|pasaje|art[ií]culo|"
            r"texto|fuente|"
            r"datos|correo|mensaje|transcripci[oó]n|salida|extracto|contenido|archivo|adjunto|resultados?|p[aá]gina|"
            r"cita|error|carta)(?: ?#?\d+)?[\*\]]*[ \t]?[:：][\*]*"
        ),
        (
            r"[ \t]*[【\[]?(?:背景|上下文|文档|原文|文章|来源|输入|资料|材料|邮件|消息|记录|输出|节选|"
            r"内容|文件|附件|结果|网页|引文|报错|文本|参考资料|已知信息|"
            r"段落)[】\]]?[ \t]?[:：]"
        ),
    ),
    # Those labels that alone say that the text is a document.
    "document": (
        (
            r"[ \t]*[\*#\[]*(?:the )?(?:(?:error|tool|command|server|build|test|terminal|console|system) (?:logs?|"
            r"output)|job (?:ad|advert|posting|description|listing|offer)|search results?(?: for [^:\n]{1,60})?|"
            r"document|passage|article|e-?mail|mail|transcript|output|logs?|excerpt|attachment|retrieved|(?:search |"
            r"tool )?results?|page|web ?page|quote|original|error|documentation|docs|read ?me|review|ticket|snippet|"
            r"minutes|chat|conversation|press release|dokument|artikel|protokoll|ausgabe|auszug|anhang|zitat|fehler|"
            r"courriel|transcription|sortie|extrait|pi[eè]ce jointe|citation|documento|art[ií]culo|correo|"
            r"transcripci[oó]n|salida|extracto|adjunto|cita)\b"
        ),
        r"[ \t]*[【\[]?(?:文档|原文|文章|邮件|记录|输出|节选|附件|网页|引文|报错|参考资料)",
    ),
    "asked_label": (
        (
            r"(?m:^[ \t]*[\*#\[]*(?:(?:my )?(?:question|query|task|request|instructions?)|q|(?:meine )?(?:frage|"
            r"aufgabe)|(?:ma )?(?:question|t[aâ]che|demande)|(?:mi )?(?:pregunta|tarea|petici[oó]n))[\*\]]*[ \t]?:)"
        ),
        r"(?m:^[ \t]*[【\[]?(?:我的)?(?:问题|任务|请求|提问)[】\]]?[ \t]?[:：])",
    ),
    # A line that opens an attachment or file, and one that closes it.
    "begins": (
        (
            r"[ \t]*[\[<(=—-]+[ \t]*(?:attach(?:ed|ment)|anhang|pi[eè]ce jointe|adjunto|archivo|fichier|datei|file|"
            r"document|dokument|documento|page|pasted|begin|start|ocr|screenshot|voice|transcript|quoted|forwarded|"
            r"d[eé]but|inicio|anfang|seite|附件|文件|文档|网页|开始|粘贴)\b[^\n]{0,160}\Z"
        ),
        r"[ \t]*(?:BEGIN|START)(?: OF)? [A-Z ]{3,40}\Z",
    ),
    "ends": (
        r"[ \t]*[\[<(=—-]+[ \t/]*(?:end|ende|fin|fim|final|eof|结束|完)\b[^\n]{0,160}\Z",
        r"[ \t]*[\[<(【]?[^\n]{0,12}(?:结束|完毕|到此为止)",
        r"[ \t]*(?:END|STOP)(?: OF)? [A-Z ]{3,40}\Z",
    ),
    "forwarded": (
        r"[ \t]*(?:re|fwd?|aw|wg|tr|rv|回复|转发|答复)[ \t]?[:：][ \t]*\S.{0,100}\Z",
        (
            r"[ \t]*(?:[-_*=]{2,} ?(?:(?:original|forwarded|weitergeleitete|urspr[uü]ngliche|reenviado|mensaje|"
            r"message)\b.*|.*(?:forwarded message|original message|nachricht|message (?:transf[eé]r[eé]|"
            r"d['’]origine)|"
            r"mensaje (?:reenviado|original)|转发|原始邮件|邮件原件|转发邮件).*))\Z"
        ),
        (
            r"[ \t]*(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|"
            r"d[eé]but du message (?:transf[eé]r[eé]|r[eé]exp[eé]di[eé])|inicio del mensaje reenviado)[ \t]?:?"
        ),
        (
            r"[ \t]*(?:on .{6,80} wrote|am .{6,80} schrieb\b.{0,80}|le .{6,80} a [eé]crit|el .{6,80} escribi[oó]|"
            r"在.{6,60}写道)[ \t ]?[:：][ \t]*\Z"
        ),
    ),
    "mail_head": (
        (
            r"[ \t>*]*(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|datum|gesendet|de|[aà]|objet|"
            r"envoy[eé](?: le)?|para|asunto|fecha|enviado(?: el)?|cc|发件人|收件人|主题|日期|发送时间|"
            r"抄送|差出人|宛先|件名|"
            r"日時)\**[ \t]?[:：]\**[ \t]?\S"
        ),
    ),
    "mail_telling": (
        r"[ \t>*]*(?:subject|betreff|objet|asunto|主题|件名|发件人|差出人)\**[ \t]?[:：]",
        r"[ \t>*]*(?:from|von|de|sent|gesendet|reply-to)\**[ \t]?:.*(?:@|<)",
    ),
    "no_speaker": (
        (
            r"(?:always|never|do|don['’]?t|yes|no|immer|nie(?:mals)?|nicht|toujours|jamais|oui|non|siempre|nunca|"
            r"s[ií]|总是|永远|不要)"
        ),
    ),
    "bar": (r"(?:[|·•›»]|\A\s*(?:[-*] )?\[)",),
}
