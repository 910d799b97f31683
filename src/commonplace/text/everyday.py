"""Words that are too common to tell whose they are."""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
    able about above account action actual actually address adds after again agree agreed almost alone along
    already always amount another answer anything appears apply around asked asks available away back based
    because become been before began begin behind being below best better between both break breaks bring brings
    build builds built call called calls came cannot card care carry case cases cause change changed changes
    check checked checks choose city clean clear close closed code come comes command common company complete
    contains correct cost could country course create created current customer daily data date days deal decide
    decided default delete delivery detail details different directly does doing done down each early easy
    either else email empty ends enough error errors even event every exactly example except expect expected
    explain extra fact fail failed fails fall family fast field file files fill final find finds fine first
    fixed fixes follow following food form format found free friend from full function further general get gets
    give given gives goes going good great group hand happen hard have head help here high hold holds home hour
    hours house however idea important inside into issue items just keep keeps kept kind know known large last
    late later latest least leave left less level light like line lines link list listed little live local long
    look looks lost lower made main make makes making many matter maybe mean means meeting member message might
    mind minute minutes missing mode money month months more morning most move moved much must name need needed
    needs never next nice night none note noted nothing number offer office often once only open opened order
    other outside over page pages paid part parts pass passed path people perhaps person phone pick place plan
    plans point possible present pretty price prices problem process product project public pull push question
    quick quickly quite rather read reads ready real really reason recent record remove removed replace report
    request required rest result results return returns review right room rule rules run running runs safe same save
    saved says school second section seems seen select send sends sent separate service session sets setting
    settings several shop short should show shown shows side simple since single site size small some something
    soon sort source space special stand start started starts state status stay stays step steps still stop
    stops store stored story such support sure system table take taken takes talk team tell terms test tests
    text than thank thanks that their them then there these they thing things think this those though through
    time times title today together told tomorrow took total town travel tried true trying turn type under until
    update updated upon used user uses using usual value values version very view visit wait want wanted wants
    was watch ways week weekend weeks well went were what when where whether which while whole will with within
    without word words work worked working works world would write writes written wrong year years yesterday
    your january february march april june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday
    zeile zeilen datei dateien ordner fehler seite seiten stunde stunden minute minuten sekunde sekunden woche
    wochen monat monate jahr jahre zeit heute morgen gestern aufgabe frage antwort beispiel ergebnis änderung
    version nachricht nummer liste preis kunde kunden termin wohnung arbeit stadt straße haus geld euro
    ligne lignes fichier fichiers dossier erreur heure heures semaine semaines mois année années temps demain hier
    question réponse exemple résultat message numéro liste prix client clients travail ville maison argent euros
    línea líneas archivo archivos carpeta error hora horas minuto minutos segundo segundos semana semanas meses
    años tiempo mañana ayer pregunta respuesta ejemplo resultado cambio mensaje número lista precio cliente
    clientes trabajo ciudad casa dinero
    riga righe errore pagina settimana anno anni tempo domani domanda risposta esempio risultato numero prezzo
    lavoro città soldi linha linhas arquivo arquivos página páginas erro ontem amanhã pergunta resposta exemplo
    número preço trabalho cidade dinheiro
    строка строки файл файлы папка ошибка страница минута секунда неделя месяц время сегодня завтра вчера вопрос
    ответ пример результат сообщение номер список цена клиент работа город деньги
"""
COMMON: Final = frozenset(_WORDS.split())
"""English; words of other languages count as rare, which lowers more and never less."""
