"""What a clause says of its words, if not that they are so: a statement that tells them as so waits."""

from grounds import fault

from marking import in_one_test


@in_one_test(
    "said, statement",
    [
        ("I gave up the piano in spring", "The user plays the piano"),
        ("Ich spiele nicht mehr Geige", "Der Nutzer spielt Geige"),
        ("J'ai arrêté le tennis", "L'utilisateur joue au tennis"),
        ("Ya no trabajo en Correos", "El usuario trabaja en Correos"),
        ("我不再吃糖了", "用户吃糖"),
        ("I once lived in Graz", "The user lives in Graz"),
        ("Als Kind hatte ich ein Pony", "Der Nutzer hat ein Pony"),
        ("À l'époque je fumais la pipe", "L'utilisateur fume la pipe"),
        ("De joven tocaba la gaita", "El usuario toca la gaita"),
        ("我以前开面馆", "用户开面馆"),
        ("We nearly adopted a parrot", "The user adopted a parrot"),
        ("Beinahe hätten wir das Boot gekauft", "Der Nutzer hat das Boot gekauft"),
        ("J'ai failli adopter un perroquet", "L'utilisateur a adopté un perroquet"),
        ("Por poco adoptamos un loro", "El usuario adoptó un loro"),
        ("I'd love to own a loom", "The user owns a loom"),
        ("Angeblich schließt das Schwimmbad", "Das Schwimmbad schließt"),
        ("Il paraît que la piscine ferme", "La piscine ferme"),
        ("听说游泳馆要关门", "游泳馆要关门"),
        ("If I had the time I'd take up weaving", "The user takes up weaving"),
        ("Only Petra may sign contracts", "The user may sign contracts"),
        ("Solo Inés puede abrir la caja", "El usuario puede abrir la caja"),
        ("Never rename the tables", "The tables may be renamed"),
        ("Lies take a while, Otto plays chess, I play go", "The user plays chess"),
        ("My ex speaks Danish", "The user speaks Danish"),
        ("Uli told me that he is selling the boat", "The user is selling the boat"),
        ("Gustav owes me 70 euros", "The user owes Gustav 70 euros"),
        ("We also talked about moving to Redis", "Moving to Redis is planned"),
        ("Is Turin worth living in?", "The user is living in Turin"),
        ("Am I allergic to nuts?", "The user is allergic to nuts"),
        ("我每天跑5公里，不是8公里", "用户每天跑8公里"),
        ("小周欠我三百", "用户欠小周三百"),
        ("Ulla is older than Arne", "Arne is older than Ulla"),
        ("The choir moved from Monday to Thursday", "The choir is on Monday"),
        ("El taller pasó de lunes a viernes", "El taller es el lunes"),
        ("We switched from yarn to pnpm", "The project uses yarn"),
        ("9 forks and 4 spoons are missing", "4 forks are missing"),
        ("The docs run on 4100, Gitea has 4200", "The docs run on port 4200"),
    ],
)
def test_what_is_not_said_so_waits(said, statement):
    """Issue 16: each clause that a statement comes from says something else of its words."""
    assert fault(said, statement) != ""


@in_one_test(
    "said, statement",
    [
        ("I gave up the piano in spring", "The user no longer plays the piano"),
        ("I used to be a cook, now I'm a baker", "The user is a baker and used to be a cook"),
        ("We almost always ride on Sundays", "The user usually rides on Sundays"),
        ("Ich hätte gern kurze Listen", "Der Nutzer möchte kurze Listen"),
        ("Only Petra may sign contracts", "Only Petra may sign contracts"),
        ("Never rename the tables", "Ask before tables are renamed"),
        ("My sister Ida and I play chess", "The user plays chess with their sister Ida"),
        ("Gustav owes me 70 euros", "Gustav owes the user 70 euros"),
        ("Ich habe Ida 70 Euro geliehen", "Ida schuldet dem Nutzer 70 Euro"),
        ("I prefer rye to wheat", "The user prefers rye over wheat"),
        ("The choir moved from Monday to Thursday", "The choir is on Thursday"),
        ("9 forks and 4 spoons are missing", "9 forks and 4 spoons are missing"),
        ("I don't eat fish, she does", "Her diet: eats fish"),
        ("My husband is called Emil", "The user is married to Emil"),
        ("My boss is Ruth Vogel as of today", "The user works under Ruth Vogel"),
        ("My son Ben is five", "The user has a five-year-old son, Ben"),
    ],
)
def test_what_is_said_so_in_other_words_is_let_in(said, statement):
    """Issue 16: a paraphrase is no doubt."""
    assert fault(said, statement) in {"", "unfounded"}


@in_one_test(
    "known, said, statement",
    [
        ("Eats no meat.", "I eat meat again", "The user is no longer without meat and eats meat again"),
        ("Ada and Jo are a couple.", "Ada and I split up", "The user and Ada are no longer together"),
        ("Works at Orbis.", "I quit my job", "The user no longer works at Orbis"),
        ("The project uses MySQL.", "We're on Postgres since Monday", "Uses Postgres; MySQL is no longer used"),
    ],
)
def test_what_a_person_said_is_over_is_no_longer_so(known, said, statement):
    """Issue 16: a true correction is applied."""
    assert fault(said, statement, [known]) == ""
