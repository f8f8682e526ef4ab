"""Words that the rules for English know, and whether a value is one that can be meant."""

import re

MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
NATIONALITIES = (
    "(?:american|argentinian|australian|austrian|bangladeshi|belgian|brazilian|british|bulgarian|canadian"
    "|chilean|chinese|colombian|croatian|cuban|czech|danish|dutch|egyptian|english|estonian|ethiopian|filipino"
    "|finnish|french|german|ghanaian|greek|hungarian|icelandic|indian|indonesian|iranian|iraqi|irish|israeli"
    "|italian|jamaican|japanese|kenyan|korean|latvian|lebanese|lithuanian|malaysian|mexican|moroccan|nepali"
    "|nigerian|norwegian|pakistani|peruvian|polish|portuguese|romanian|russian|scottish|serbian|singaporean"
    "|slovak|slovenian|spanish|swedish|swiss|syrian|taiwanese|thai|tunisian|turkish|ukrainian|vietnamese|welsh)"
)
JOB = (
    r"(?:\w{2,14}(?:ologist|onomist|graphist|ographer|apist|ntist|rnalist|rmacist|ygienist|tician|cian"
    r"|gineer|itect|ditor|octor|ecutive|nalyst|intendent|eporter|essor|rchitect|yclist|lorist)"
    r"|accountant|actor|actress|artist|assistant|author|baker|barber|barista|biologist|blogger|brewer|builder"
    r"|butcher|captain|carer|carpenter|cashier|chef|chemist|cleaner|clerk|coach|composer|consultant|cook"
    r"|counsellor|dancer|dentist|designer|developer|director|driver|electrician|engineer|farmer|firefighter"
    r"|fisherman|florist|gardener|geologist|guide|hairdresser|historian|illustrator|interpreter|journalist|judge"
    r"|lawyer|lecturer|librarian|manager|mechanic|midwife|miner|musician|nanny|novelist|nurse|nutritionist"
    r"|optician|painter|paramedic|pharmacist|photographer|physicist|physio|physiotherapist|pilot|plumber|poet"
    r"|police\s?officer|postman|priest|producer|professor|programmer|psychologist|receptionist|researcher"
    r"|salesman|scientist|secretary|seamstress|singer|social\sworker|soldier|solicitor|statistician|student"
    r"|surgeon|surveyor|tailor|teacher|technician|therapist|translator|tutor|vet|veterinarian|waiter|waitress"
    r"|welder|writer|zookeeper|product\sowner|data\sscientist)"
)
FIELDS = (
    "(?:accounting|anthropology|archaeology|architecture|art|astronomy|biology|business|chemistry|computer_science"
    "|dentistry|design|economics|education|engineering|english|french|geography|geology|german|history|journalism"
    "|law|linguistics|literature|mathematics|maths|medicine|music|nursing|philosophy|physics|politics|psychology"
    "|sociology|statistics|theology|theatre|veterinary_medicine)"
)
CONDITIONS = (
    r"(?:(?:type_[12]_)?diabetes|asthma|epilepsy|arthritis|migraines?|high_blood_pressure|heart_condition"
    r"|bad_(?:back|knees?|hip)|adhd|autism|dyslexia|tinnitus|eczema|hay_fever|insomnia|coeliac_disease"
    r"|celiac_disease|crohn's(?:_disease)?|vertigo|pacemaker|fear_of_flying|sleep_apn(?:o)?ea)"
)
MEDICINES = (
    "(?:warfarin|insulin|metformin|statins?|aspirin|ibuprofen|antidepressants|blood_thinners|beta_blockers"
    "|levothyroxine|omeprazole|antihistamines|iron_tablets|vitamin_[a-e]|the_pill|lithium)"
)
GIVEN_UP = (
    "(?:alcohol|beer|bread|caffeine|cheese|chocolate|coffee|dairy|gluten|meat|smoking|sugar|wine)"
)
BODILY = "(?:eat|drink|drive|swim|climb|lift|digest|tolerate|ride|kneel)"

_THINGS = frozenset(
    """
    apartment bag bass bed bike bicycle boat boiler book bookcase bulb bulbs bus cabin camera
    camper car card cat cats cello chair child children clarinet clock coat computer console
    couch cow cows dog dogs doorbell dishwasher drone drum drums dryer e-bike electric_bike
    extender fish flat flute freezer fridge garage garden gecko goldfish goat goats guitar
    hamster headphones headset heater hen hens horse horses house hub iguana ipad iphone kayak
    kettle keyboard kid kids kitten kittens laptop lamp lamps lawnmower macbook microphone
    monitor motorbike motorcycle mower oven parrot pc pen pens phone piano plug plugs pony
    printer projector puppy rabbit rabbits router saxophone scanner scooter sensor sensors
    server sewing_machine sibling siblings skateboard smartwatch snake snowboard socket sofa son
    sons speaker speakers stove surfboard switch tablet telescope television tent thermostat
    toaster tortoise trombone trumpet truck turtle tv twins ukulele van vacuum viola violin
    washing_machine machine watch wheelchair daughter daughters sister sisters brother brothers
    beagle beagles bulldog collie collies corgi corgis dachshund greyhound greyhounds labrador
    labradors poodle puppies retriever spaniel spaniels terrier terriers whippet grandchildren
    grandson granddaughter nephew nephews niece nieces
    """.split()
)
_NO_THINGS = frozenset(
    """
    appointment call chance class cold deadline deal email exam fever flight flu headache hunch
    idea interview issue job lesson meeting message note problem question request session shift
    suggestion task test thought ticket time trip bug error plan point feeling allergy migraine
    migraines day visit order
    """.split()
)
_POINTS = frozenset(
    """
    it its this that these those them they him her you your yours how when what where why which
    who one ones the another both all everything anything nothing something some none either
    neither us me myself
    """.split()
)
_DETERMINERS = frozenset("a an the my our two three four five six".split())
_DAYS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday christmas easter thanksgiving
    january february march april may june july august september october november december covid
    update api
    """.split()
)
_NO_EMPLOYERS = frozenset(
    "moment minute weekend weekends table office computer same time desk day end problem".split()
)
_STATES = frozenset(
    """
    bed boredom chaos contact denial fear hope limbo love luxury pain past peace poverty present
    future sin silence touch trouble terminal browser cloud moment shell editor matrix
    """.split()
)
_HOMES = frozenset(
    """
    apartment area attic basement boat bungalow bus cabin caravan centre center city cottage
    countryside district dorm estate farm flat forest hamlet house houseboat hostel island loft
    mansion mountains neighbourhood neighborhood north outskirts quarter region south studio
    suburb suburbs tent terrace town townhouse valley van village west east yurt
    """.split()
)
_TECHNICAL = frozenset(
    """
    android angular aws azure chrome code django docker excel firefox git github gitlab gmail
    google java jenkins jira kubernetes linux mac macos mongo mysql next notion obsidian outlook
    plan postgres postgresql python react rust signal slack spotify sql team teams typescript
    ubuntu version vim vs vue whatsapp windows zoom
    """.split()
)
_PLATFORMS = _TECHNICAL - {"code", "plan", "sql", "team", "teams", "version"} | frozenset(
    """
    blackberry chromebook debian fairphone fedora galaxy imac ios ipad iphone kindle macbook mariadb
    moto node oneplus php pixel playstation redis ruby samsung surface thinkpad xiaomi xperia xps
    """.split()
)
_VERSION = re.compile(
    r"(?:an?\s)?(?![A-Z]{2,4}-\d)(?:v?\d{1,4}(?:\.\d{1,6}){1,3}|v\d{1,3}|(?=.{0,60}\d)(?=\w{0,20}[A-Z])[A-Za-z]\w{0,20}"
    r"(?:\s[\w.+-]{1,24}){0,5})"
)
_NO_FOOD = frozenset(
    "until and before after much too enough at in on when with or well out as that very".split()
)
_NO_STANDING = frozenset("on in at not still silent hold charge mute screen fire ice".split())


def _first(value: str) -> str:
    return value.split(maxsplit=1)[0].lower()


def is_version(value: str) -> bool:
    """Return whether a value names a version or a model, and is no amount: "v3", "a Pixel 9"."""
    return any(map(str.isdigit, value)) and _VERSION.fullmatch(value) is not None


def is_platform(value: str) -> bool:
    """Return whether a value is a version of what one works with: "Postgres 14", "an iPhone 12"."""
    return is_version(value) and not _PLATFORMS.isdisjoint(value.lower().split())


def is_named(value: str) -> bool:
    """Return whether a value holds a name, and points at nothing said before."""
    return _first(value) not in _POINTS and any(word[0].isupper() for word in value.split())


def is_product(value: str) -> bool:
    """Return whether a value begins with the name of a product: "Vim 9", "an iPhone"."""
    words = [word for word in value.split() if word not in _DETERMINERS]
    return bool(words) and _first(value) not in _POINTS and not words[0].islower()


def is_a_name(value: str) -> bool:
    """Return whether a value in capitals may be the name of somebody, and is no day or month."""
    return value.lower() not in _DAYS


def is_language(value: str) -> bool:
    """Return whether a value begins like the name of a language."""
    return value[0].isupper()


def is_place(value: str) -> bool:
    """Return whether a value may be a place: no year, no state of mind, no program."""
    words = value.lower().split()
    if value[0].isdigit() or words[0] in _POINTS - {"the"} or not _STATES.isdisjoint(words):
        return False
    if words[0] in {"a", "an", "the", "my", "our"}:
        return value != value.lower() or not _HOMES.isdisjoint(words)
    return words[0] not in _TECHNICAL


def is_new_home(value: str) -> bool:
    """Return whether a value is where somebody may have moved to, by its capital."""
    words = value.lower().split()
    return is_place(value) and is_named(value) and _TECHNICAL.isdisjoint(words)


def is_origin(value: str) -> bool:
    """Return whether a value may be where somebody comes from: a place by its capital."""
    return is_new_home(value) and value.rsplit(maxsplit=1)[-1][0].isupper()


def is_employer(value: str) -> bool:
    """Return whether a value is for whom somebody works: named, or with an article."""
    words = value.lower().split()
    return is_named(value) or (words[0] in {"a", "an", "the"} and words[-1] not in _NO_EMPLOYERS)


def is_job(value: str) -> bool:
    """Return whether a value is a job of one's own: "a director's assistant" may be anybody."""
    return "'" not in value


def is_thing(value: str) -> bool:
    """Return whether a value is to be had: a known thing, or the name of one with an article."""
    words = value.split()
    folded = value.lower().split()
    if folded[-1].endswith(("error", "exception")):
        return False
    if (
        folded[-1] in _NO_THINGS
        or folded[0] in _POINTS - {"the", "some"} | {"no"}
        or len(words) > 7
    ):
        return False
    if folded[-1] in _THINGS or (folded[-1][-1].isdigit() and not _THINGS.isdisjoint(folded)):
        return True
    last = words[-1]
    is_name = not last.islower() and not last.isupper() and last.lower() not in _DAYS
    return words[0] in _DETERMINERS and len(words) > 1 and (is_name or _is_model(words))


def _is_model(words: list[str]) -> bool:
    return words[-1].isdigit() and not words[-2].islower() and words[-2].lower() not in _DAYS


def is_liked(value: str) -> bool:
    """Return whether a value stands for itself, and not for what was said or shown just before."""
    points = ("you'", "it'", "that'", "to say")
    if value.lower().startswith(points) or value.lower().endswith((" it", " them", " those")):
        return False
    return _first(value) not in _POINTS | {"not"}


def is_favourite(value: str) -> bool:
    """Return whether a value is what is a favourite, and not where it is or that it is not."""
    return _first(value) not in _NO_STANDING | {"it", "that", "this", "missing", "gone"}


def is_consumed(value: str) -> bool:
    """Return whether a value is something that is eaten or drunk, and not how or when."""
    return is_liked(value) and _first(value) not in _NO_FOOD


def is_spot(value: str) -> bool:
    """Return whether a value is where a thing is kept, and not how it is set."""
    return _first(value) not in _NO_STANDING


def is_an_ability(value: str) -> bool:
    """Return whether a value says what cannot be done: "lift a thing" says how one feels."""
    said = value.lower()
    return not said.endswith((" a thing", " anything", " it", " that")) and not {*said.split()} & {
        "another",
        "this",
        "that",
        "these",
        "you",
    }


def is_own(value: str) -> bool:
    """Return whether a value names what it is about, be it with an article."""
    return _first(value) not in _POINTS - {"the", "another", "some"}


def is_taste(value: str) -> bool:
    """Return whether a value is to somebody's taste, and not near to their heart: "my job"."""
    return is_liked(value) and _first(value) not in {"my", "our"}
