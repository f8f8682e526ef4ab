"""Questions with their answers, about everyday things: by these an unknown model is calibrated.

Each is about something else, so that any answer but its own is a wrong one. Most are English, since
most of the models that only know one language know that one.
"""

PAIRS = (
    ("When does the bakery on the corner open?", "The corner bakery opens at half past six."),
    ("What is wrong with the bicycle?", "Her bike has a flat back tyre and a loose chain."),
    ("Which tea does Nora like best?", "Nora drinks jasmine tea and leaves the others alone."),
    ("Who looks after the cat during the holidays?", "In summer the neighbour feeds Minka."),
    ("How long is the train to the coast?", "The train takes two hours to reach the sea."),
    ("What did the doctor say about his knee?", "He was told to rest the knee for three weeks."),
    ("Why did the server go down last night?", "A full disk stopped the machine after midnight."),
    ("What should I bring to the birthday party?", "Everyone is asked to come with a salad."),
    ("How much rent do they pay?", "The flat costs them nine hundred a month."),
    ("Which language is she learning?", "She takes Portuguese lessons on Tuesdays."),
    ("奶奶的眼镜放在哪里了？", "奶奶把老花镜忘在厨房的窗台上。"),
    ("周末你们去哪儿爬山？", "我们打算星期六去城北的那座小山。"),
    ("Wann kommt der Klempner?", "Der Installateur ist für Donnerstag früh bestellt."),
    ("Womit heizt ihr im Winter?", "Das Haus hat einen Kachelofen und eine Wärmepumpe."),
    ("¿Qué instrumento toca tu hermano?", "Mi hermano ensaya con el violonchelo cada tarde."),
    ("¿Dónde aparcaste el coche?", "Dejé el auto detrás de la biblioteca."),
)
