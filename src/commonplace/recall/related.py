"""Words that mean the same in everyday English: what stemming cannot know.

Three kinds of line. `=` forms of one word, as good as the word itself. `~` near-synonyms and
`>` a kind followed by things of that kind; both count less than the word. Pure data and its lookup.
"""

from __future__ import annotations

import functools
from typing import Final

import msgspec

from commonplace.text.patterns import pattern

_LINES: Final = """
= buy bought
= teach taught
= catch caught
= think thought
= fight fought
= seek sought
= begin began begun
= drink drank drunk
= drive drove driven
= eat ate eaten
= fall fell fallen
= feel felt
= find found
= fly flew flown
= forget forgot forgotten
= grow grew grown
= hear heard
= hide hid hidden
= hold held
= keep kept
= leave left
= lend lent
= lose lost
= meet met
= pay paid
= ride rode ridden
= ring rang rung
= rise rose risen
= run ran
= see saw seen
= sell sold
= send sent
= sing sang sung
= sit sat
= sleep slept
= speak spoke spoken
= spend spent
= stand stood
= steal stole stolen
= swim swam swum
= take took taken
= break broke broken
= choose chose chosen
= wear wore worn
= win won
= write wrote written
= draw drew drawn
= throw threw thrown
= build built
= bring brought
= become became
= bite bit bitten
= blow blew blown
= deal dealt
= dig dug
= feed fed
= freeze froze frozen
= hang hung
= lead led
= mean meant
= sink sank sunk
= shake shook shaken
= shoot shot
= shine shone
= stick stuck
= strike struck
= swear swore sworn
= tear tore torn
= wake woke woken
= weave wove woven
= understand understood
= child children kid
= man men
= woman women
= person people
= foot feet
= tooth teeth
= mouse mice
= life lives
= wife wives
= knife knives
= leaf leaves
= half halves
= analysis analyses
= criterion criteria
= colour color
= favourite favorite
= organise organize
= realise realize
= centre center
= theatre theater
= licence license
= grey gray
= travelling traveling
= programme program
~ mother mom mum mommy
~ father dad daddy
~ parent mother father mom dad
~ grandmother grandma granny nana
~ grandfather grandpa granddad
~ sibling brother sister
~ spouse husband wife partner
~ child son daughter toddler baby
~ baby newborn infant pregnant
~ relative cousin aunt uncle nephew niece family
~ friend buddy pal mate
~ neighbor neighbour next-door
~ coworker colleague teammate
~ boss manager supervisor
~ employee staff worker
~ customer client
~ job work career occupation profession employment
~ company business firm startup employer
~ hire hired recruit
~ quit resign leave
~ promotion promoted raise
~ retire retired pension
~ house home apartment flat condo
~ room bedroom kitchen
~ rent lease landlord
~ move relocate moved
~ city town hometown
~ country nation homeland
~ place location spot venue
~ live reside stay
> live move relocate settle address
~ address street
~ trip travel journey vacation holiday tour getaway
~ flight plane airport airline
~ hotel hostel accommodation
~ visit visited trip
~ hike hiking trail trek
~ camp camping tent
~ car vehicle truck van
~ train railway subway
~ bike bicycle cycling
~ photo picture photograph pic image
~ film movie cinema
~ show series episode
~ book novel read reading
~ author writer novelist
~ poem poetry poet
~ story tale narrative
~ song music track tune
~ band group concert
~ concert gig show festival
~ dance dancing dancer
~ draw drawing sketch
~ paint painting painter
~ art artwork painting drawing
~ exercise workout gym fitness training
~ jog jogging running run
~ race marathon
~ doctor physician clinic
~ hospital clinic
~ therapy therapist counseling counselor
~ ill sick illness disease unwell
~ injury injured hurt wound
~ medicine medication drug pill prescription
~ pain ache sore
~ surgery operation
~ healthy health diet
~ weight diet
~ pet dog cat puppy kitten
~ dog puppy pup
~ cat kitten kitty
~ food meal dish cuisine recipe
~ cook cooking bake baking recipe
~ breakfast brunch
~ dinner supper meal
~ restaurant cafe diner
~ dessert sweet cake
~ vegetarian vegan
~ happy glad joyful excited thrilled delighted
~ sad upset unhappy depressed
~ angry mad furious annoyed
~ afraid scared fear frightened
~ nervous anxious worried anxiety stress stressed
~ proud pride
~ grateful thankful appreciate
~ tired exhausted fatigue
~ lonely alone isolated
~ surprised shocked amazed
~ love adore enjoy
~ like enjoy prefer favorite
~ preference prefer favorite
~ hate dislike
~ want wish hope
~ goal aim target objective dream
~ plan intend schedule
~ decide decision choose choice
~ start begin launch open
~ finish complete end
~ stop quit cease
~ buy purchase
~ sell sale
~ shop store market
~ cost price expensive fee
~ money budget savings income
~ salary wage income
~ debt loan mortgage
~ invest investment stock
~ tax taxes
~ give donate
~ gift present
~ party celebration celebrate birthday
~ wedding married marriage
~ dating girlfriend boyfriend relationship
~ divorce separated breakup
~ die died death passed funeral
~ school college university
~ class course lesson workshop
~ student pupil
~ teacher professor instructor tutor
~ mentor coach guide
~ study learn course
~ degree major diploma graduate
~ exam test quiz
~ grade score mark
~ competition contest tournament match
~ prize award trophy medal
~ game match play
~ team club squad
~ hobby pastime interest activity
~ volunteer charity volunteering
~ church religion faith religious
~ meeting call appointment
~ help support assist
~ advice suggestion tip recommend
~ problem issue trouble challenge difficulty
~ error bug failure exception
~ crash crashed outage
~ fix repair solve resolve
~ change update modify
~ create make build develop
~ delete remove drop
~ install setup configure
~ deploy deployment release ship
~ test tests testing
~ repository repo git
~ database db sql
~ server host backend
~ password credential login
~ version release
~ function method
~ folder directory path
~ big large huge
~ small little tiny
~ fast quick rapid speed
~ slow delay late
~ important key crucial essential
~ difficult hard tough
~ easy simple
~ beautiful pretty gorgeous lovely
~ smart clever intelligent
~ funny humor joke
~ quiet calm peaceful
~ relax unwind rest destress
~ garden plant flower
~ nature outdoors forest mountain
~ beach sea ocean coast
~ weather rain snow storm
~ computer laptop pc
~ phone smartphone mobile
~ email mail message
~ website site page
~ deadline due
~ remind reminder
~ memory memories remember
~ accident collision
~ storm hurricane flood
~ politics election vote campaign
~ military veteran army soldier
~ lawyer attorney legal
~ police officer
~ age old years
~ birthday born birth
~ nickname name called
~ allergic allergy
~ clothes clothing outfit wear
> pet dog cat puppy kitten hamster rabbit fish bird parrot turtle
> animal dog cat horse bird rabbit turtle snake bear
> instrument guitar piano violin drums flute clarinet cello saxophone ukulele trumpet
> sport soccer football basketball baseball tennis hockey volleyball swimming golf surfing skiing
> exercise yoga running swimming weights pilates boxing cycling gym
> martial karate judo taekwondo boxing aikido
> hobby painting reading gardening cooking photography hiking pottery knitting dancing gaming
> art painting drawing sculpture pottery photography
> dessert cake pie cookies brownies pudding chocolate icecream
> food pizza pasta salad soup bread cake sandwich rice chicken
> drink coffee tea beer wine juice
> fruit apple banana orange berry strawberry mango
> vegetable carrot tomato lettuce potato
> meat beef pork chicken steak
> vehicle car truck motorcycle bike
> emotion happy sad angry anxious proud scared
> family mother father brother sister son daughter
> job teacher engineer nurse doctor designer manager developer
> profession teacher engineer nurse doctor lawyer designer
> weather rain snow sunny storm
> season spring summer autumn winter
> holiday christmas thanksgiving easter halloween
> country germany france spain italy england canada japan china india mexico brazil australia
> city london paris rome tokyo berlin madrid chicago boston seattle
> state california texas florida oregon washington
> continent europe asia africa america
> game chess poker monopoly console
> movie comedy thriller fantasy horror
> genre fantasy mystery romance thriller
> music rock jazz classical pop
> color red blue green yellow purple
> clothes dress shirt jacket shoes hat
> jewelry necklace ring bracelet
> furniture table chair sofa couch bed
> appliance fridge oven dishwasher microwave
> device phone laptop tablet watch camera
> language spanish french german chinese english
> illness cancer flu diabetes asthma
> allergy peanut pollen gluten
> subject math history science biology physics
> disaster flood fire earthquake hurricane
> outdoor hiking camping fishing kayaking
> event conference concert workshop festival party
> degree bachelor master phd
> plant flower rose tree tulip
> social instagram twitter facebook tiktok
> programming python java rust javascript typescript go
> database postgres mysql sqlite redis mongodb
> framework django flask react rails
> cloud aws azure gcp
"""


_VOWEL: Final = pattern("[aeiouy]")
_SHORTEST: Final = 4  # a shorter word is taken as it is


class Related(msgspec.Struct, frozen=True):
    """The words that may replace a word: its other forms, its near-synonyms, and things of its kind.

    `stems` name the word and its forms for comparison; they need not be words.
    """

    stems: tuple[str, ...]
    forms: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@functools.cache
def related(word: str) -> Related:
    """Return the words that may replace a lower-case word; none for a word not listed."""
    tables = _tables()
    stems = [stem(word)]
    forms = _gather(tables["="], stems)
    stems += [stem(form) for form in forms]
    synonyms = _gather(tables["~"], stems)
    kinds = _gather(tables[">"], stems[:1])
    known = {*stems}
    near = [each for each in synonyms if stem(each) not in known]
    return Related(
        tuple(dict.fromkeys(stems)),
        tuple(each for each in forms if each != word),
        tuple(near),
        tuple(each for each in kinds if stem(each) not in known and each not in near),
    )


def stem(word: str) -> str:
    """Return an English word without its common endings, so that inflections compare equal; never shown."""
    if len(word) < _SHORTEST or not word.isascii():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and _VOWEL.search(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if word.endswith("y"):
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST else word


def _gather(table: dict[str, tuple[str, ...]], stems: list[str]) -> list[str]:
    return list(dict.fromkeys(other for each in stems for other in table.get(each, ())))


@functools.cache
def _tables() -> dict[str, dict[str, tuple[str, ...]]]:
    tables: dict[str, dict[str, list[str]]] = {"=": {}, "~": {}, ">": {}}
    for line in _LINES.strip().splitlines():
        sign, *group = line.split()
        for word in group[:1] if sign == ">" else group:
            tables[sign].setdefault(stem(word), []).extend(group)
    return {sign: {word: tuple(others) for word, others in table.items()} for sign, table in tables.items()}
