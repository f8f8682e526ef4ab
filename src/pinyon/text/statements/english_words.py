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
    grandchildren grandson granddaughter nephew nephews niece nieces
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
_NO_NAMES = frozenset({"I'm", "I've", "OK", "DM", "PR"})
_DETERMINERS = frozenset(
    "a an the my our some one two three four five six seven eight nine ten".split()
)
_NO_EMPLOYERS = frozenset(
    "moment minute weekend weekends table office computer same time desk day end".split()
)
_ABSTRACT_PLACES = frozenset("fear hope past future peace trouble touch contact love bed".split())


def has_digit(value: str) -> bool:
    """Return whether a value names a version: a digit in it, and no amount at its beginning."""
    return any(letter.isdigit() for letter in value) and not re.match(
        r"\d+(?:\.\d+)?\s?(?:%|years?|months?|weeks?|days?|hours?|minutes?|euros?|pounds?|dollars?|m\b|km\b|percent)"
        r"|(?:at|in|on|\d+\sof|[a-z]{2,20}ing)\s",
        value,
    )


def is_named(value: str) -> bool:
    """Return whether a value holds a name or a number, and points at nothing said before."""
    words = value.split()
    return words[0].lower() not in _POINTS - {"the"} and any(
        word[0].isupper() or word[0].isdigit() for word in words
    )


def is_place(value: str) -> bool:
    """Return whether a value may be a place: no year, nothing pointed at, no state of mind."""
    first = value.split(maxsplit=1)[0].lower()
    return (
        not first[0].isdigit() and first not in _POINTS - {"the"} and first not in _ABSTRACT_PLACES
    )


def is_thing(value: str) -> bool:
    """Return whether a value is to be had: a known thing, or a name and no event."""
    words = value.split()
    last = words[-1].lower()
    if last in _NO_THINGS or words[0].lower() in _POINTS - {"the", "some"} or len(words) > 7:
        return False
    if last in _THINGS:
        return True
    named = [word for word in words if word not in _DETERMINERS]
    return bool(named) and any(
        not word.islower() and not word.isdigit() and len(word) > 1 and word not in _NO_NAMES
        for word in named
    )


def is_liked(value: str) -> bool:
    """Return whether a value stands for itself, and not for what was said or shown just before."""
    first = value.split(maxsplit=1)[0].lower()
    return first not in _POINTS and not first.startswith(("you'", "it'", "that'"))


def is_an_ability(value: str) -> bool:
    """Return whether a value says what cannot be done: "lift a thing" says how one feels."""
    return not value.lower().endswith((" a thing", " anything", " it", " that", " this"))


def is_own(value: str) -> bool:
    """Return whether a value names what it is about, be it with an article."""
    return value.split(maxsplit=1)[0].lower() not in _POINTS - {"the", "another", "some"}


def is_origin(value: str) -> bool:
    """Return whether a value may be where somebody comes from: a place by its capital."""
    return is_place(value) and is_named(value)


def is_employer(value: str) -> bool:
    """Return whether a value is for whom somebody works: named, or with an article."""
    words = value.lower().split()
    return is_named(value) or (words[0] in {"a", "an", "the"} and words[-1] not in _NO_EMPLOYERS)
