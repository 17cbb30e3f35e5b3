/** English: the sentences of an article. `{person}` is named in full once, then by the last name. */
import { lines, words } from './text.ts';
import type { Tongue } from './tongue.ts';

type Body = Pick<Tongue, 'headings' | 'openings' | 'middles' | 'indoors' | 'speeches' | 'closings' | 'pools'>;

export const ENGLISH_BODY: Body = {
  headings: lines(`
    What the ledger says
    A room with two clocks
    Rain on both days
    The price of keeping
    Before the doors open
    Somebody has to
    Nobody’s idea
    The view from the third step
    Small repairs
    A note on the map
    After the fire
    What remains
  `),
  openings: lines(`
    The first thing you notice about the {topic} of {place} is the sound of {sound}.
    It is {hour} in {place}, {weather}, and {person} is already at work.
    Nobody in {place} agrees on how many {topic} there once were; the guesses run from {n} to {big}.
    In {year} the city of {place} drew up a list of everything that it could live without, and the {topic} were on it.
    When I first came to {place}, I was told to leave the {topic} alone and to talk to {person} instead.
    There is a photograph from {year} in which the {topic} of {place} look brand new, and everybody in front of them looks tired.
    {person} keeps {object} in a drawer, and will not talk about the {topic} of {place} before showing it.
    The road into {place} runs past the {topic}, and for years I drove by without stopping.
    On a {season} morning {place} smells of {smell}; follow the smell and you come to the {topic}.
    {office} has published a report on the {topic} of {place}; {person} has read all {big} pages of it, twice.
    Some cities keep their history in museums; {place} keeps it in its {topic}.
    {place} has changed its street names {n} times since {year}, but the {topic} have kept theirs.
    The last bus stops {n} minutes short of the {topic}, so you walk.
    "Bring a coat", {person} wrote the night before, and then, a minute later: "Bring two".
    Ask three people in {place} about the {topic} and you will get four answers and a cup of something hot.
    A bell, a bench, {object}: in {year} that was all {person} had.
    This story about {topic} should have begun in {elsewhere}, but the train to {elsewhere} was cancelled.
  `),
  middles: lines(`
    {office} pays for the light, the neighbours pay for the paint, and nobody pays for the time.
    In a good month {big} people come by; in a bad one, {person} knows each of them by name.
    What looks like neglect turns out, on a second visit, to be a method.
    A ledger lists every repair since {year}, down to the last screw.
    Tourists arrive with the wrong map and leave with the right one, drawn on the back of a receipt.
    The same thing was tried in {elsewhere}, with more money and less luck.
    For a while the talk was of closing; then came a wet {season}, and the talk was of nothing but the drains.
    You learn to tell the regulars by their shoes.
    Most of what is known about the {topic} was written down by people who did not like them.
    It took {n} visits before anyone offered me a chair.
    Engineers from {elsewhere} came to measure everything and went home with {n} crates of notes.
    The young people of {place} have a website for it, the old ones have a bell, and on a {weekday} both work.
    By the time the lamps are lit, {weather}, and the queue has forgotten what it came for.
    {person} has a theory about this; the theory needs a table, two cups and most of an afternoon.
    A student from {elsewhere} counted the steps and got {big}; {person} says that it depends on the weather.
    None of this is efficient, which may be why it is still here.
    The water rose to the third step in {year}, and there is a brass line to prove it.
    What the brochures call heritage, {person} calls {weekday}.
    In {elsewhere} they would have put a rope around it.
    The archive holds {big} letters about the {topic}, and most of them are complaints about noise.
    Every {season} somebody proposes an app.
    There was a flood in {year}, a strike in the year after, and a wedding in between.
    Repairs are done on a {weekday}, arguments on all other days.
    {other} brought {object}, and nobody has found the courage to move it.
    Without the {topic}, says a former mayor, {place} would be a car park with a view.
    The waiting list has {big} names on it and is kept in pencil.
    It helps that {place} has never been fashionable for longer than a summer.
    Half of the visitors come for the {topic}, and the other half to get away from the traffic.
    The numbers given by {office} and those given by {person} differ by a factor of {n}, and both are proud of theirs.
    {other}, who has never missed a {weekday}, calls it the only honest corner of {place}.
    The budget would not buy a bus shelter; it has to keep the {topic} going until {season}.
    A plaque gives the year as {year}, and everybody agrees that the plaque is wrong.
    On the way back {weather}, and {person} stops to greet a dog by its full name.
    Strangers are given the easy jobs first: sweeping, carrying, and listening to {other}.
    There is a word for this in the dialect of {place}, and {person} refuses to translate it.
  `),
  indoors: lines(`
    The roof was mended in {year}, and has leaked in the same corner ever since.
    The rules are written on a card beside the door: no shouting, no credit, no photographs of {object}.
    There are {n} keys, and each of them opens a different argument.
    At noon the shutters come down, and for an hour and a half {place} becomes another town.
    The paperwork fills {n} boxes, the boxes fill a cupboard, and the cupboard has not been opened since {year}.
    The sign over the door still reads "PULL \\ PUSH", with a backslash that nobody has ever explained.
    Behind the counter hangs a calendar from {year}, kept because the picture is good and the days are right again.
    Somewhere under the floor there is supposed to be a second floor.
    You can smell {smell} from the corner, long before you see a door.
    The insurance company sent a man, the man stayed for lunch, and the premium went down.
    I counted {n} languages before the kettle boiled.
    The light comes in low and yellow, as if somebody had told it to keep its voice down.
    Someone has written “thank you” in the dust on the window, in {n} alphabets.
    Once a year, in {season}, everything is carried outside, counted, washed and carried in again.
    "Temporary" is a word with a long life here: the temporary wall is older than most of the people leaning on it.
  `),
  speeches: lines(`
    “You do not own a thing like this,” {person} says. “You hold it until somebody asks for it back.”
    “People think that it is about the past,” says {person}. “It is about next {weekday}.”
    “My mother came here to get warm,” {person} says. “I came to argue. We were both right.”
    “If I had known how much dust there is in it,” says {person}, “I would have started sooner.”
    “We are not romantic,” {other} insists. “We have a spreadsheet.”
    Asked about {elsewhere}, {person} laughs: “They have the money. We have the tools.”
    “There are two ways of doing it,” says {person}, “and the other one is wrong.”
    “Write that we are open on a {weekday},” {other} calls from the back. “The rest you can invent.”
    “The first {years} years are difficult,” {person} says. “After that you stop counting.”
    “A city that sells its {topic} will sell its benches next,” says {other}, and looks around for the benches.
    “I have been offered money,” {person} says, “and I have been offered advice. I took the soup.”
    “No, that noise is normal,” says {person}. “Worry when it stops.”
    “Everything here has been repaired at least once,” says {other}, “including me.”
    “In {year} we were called old-fashioned, now we are called sustainable,” says {person}. “The work is the same.”
  `),
  closings: lines(`
    On the way out {person} hands me {object} and says that I may bring it back whenever I like.
    The bus comes late, {weather}, and nobody seems to mind.
    Then the lamps go out, one after the other, and {place} is only a city again.
    I left {place} with a receipt for {n} coins and the feeling of having been overpaid.
    Next {season} they will count again.
    Whether the {topic} are still there in ten years depends on {office}, the rain, and whoever has the key.
    “Come back when it is {weather_short},” says {person}. “Then you will see it properly.”
    Behind us somebody starts to sweep.
    The question of who pays is postponed until {weekday}, as it has been since {year}.
    And {object}? It is still where {other} put it.
    At the station I looked at my notes: {n} pages, half of them about lunch.
    It is not much, {person} says, but it is all there, and it is paid for.
  `),
  pools: {
    sound: words('a single broom, coins being counted, somebody humming, wet gravel, a radio in another room, ropes'),
    hour: words('five in the morning, half past four, shortly after six, almost midnight, the hour before the market'),
    weather: words(`
      a thin rain is falling, the fog has not lifted, the wind is coming off the water, the snow has turned to slush
      the heat leans on the walls, the hail has just stopped, the sky is the colour of tin
    `),
    weather_short: words('raining, snowing, foggy, properly cold, too hot to argue'),
    object: words(`
      a brass whistle, a map with no north, a jar of buttons, one glove, a stuffed heron, a clock without hands
      a box of unpaid bills, a blue enamel sign, half a ladder, a photograph of a goat
    `),
    smell: words('warm bread, wet wool, tar, roasted coffee, oranges, coal smoke, fresh paint, fennel'),
    office: words('the city council, the ministry of small things, the heritage board, the harbour office, the parish'),
    season: words('spring, summer, autumn, winter'),
    weekday: words('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday'),
    number: words('two, three, four, five, six, seven, nine, eleven, twelve, fourteen, seventeen, twenty'),
  },
};
