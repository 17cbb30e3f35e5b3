/** English: titles, leads and the words that they share with the other languages. */
import { ENGLISH_BODY } from './english-body.ts';
import { lines, titleCase, words } from './text.ts';
import type { Tongue } from './tongue.ts';

export const ENGLISH: Tongue = {
  ...ENGLISH_BODY,
  titles: {
    essay: lines(`
      Why the {Topic} of {place} Matter
      In Praise of {place}’s {Topic}
      What the {Topic} of {place} Taught Me About {Abstract}
      {Abstract} and the {Topic} of {place}
      Notes on {Topic}, Written in {place}
      Against Saving the {Topic} of {place}
      Between {place} and {elsewhere}: {Topic}, Remembered
      The Question of {year}: Who in {place} Needs {Topic}?
      A Small Theory of {Abstract}, with {Topic}
    `),
    report: lines(`
      Who Looks After the {Topic} of {place}?
      The Long Fight for {place}’s {Topic}
      {Count} Nights in {place}, Among {Topic}
      How {place} Lost Its {Topic} and Found {Abstract}
      The Last {Topic} of {place}
      {place} Closes Its {Topic}, {elsewhere} Opens More
      Inside {place}’s {Topic}
      The {Topic} That {place} Forgot to Close
      Since {year}, {place} Has Argued About Its {Topic}
    `),
    interview: lines(`
      “{saying}”: {person} on the {Topic} of {place}
      {person} Keeps the {Topic} of {place} Open
      A Walk Through {place} with {person}
      {Count} Questions for {person} About {Topic}
      {person} and {other} Disagree About {Topic}
    `),
    review: lines(`
      “{book}” by {person}, Reviewed
      A New Map of the {Topic} of {place}
      Seen in {place}: {person}’s “{book}”
      {person} Writes the {Topic} of {place}
      Is “{book}” the Best Book on {Topic} Since {year}?
    `),
    guide: lines(`
      {place}: A Guide to the {Topic}
      {Count} {Topic} Worth the Detour Around {place}
      A {Season} Weekend in {place}, by Way of Its {Topic}
      How to Read the {Topic} of {place}
      From {place} to {elsewhere}: {Topic} on a Slow Route
      Where to Find the Oldest {Topic} in {place}
    `),
    portrait: lines(`
      {person}, Keeper of {place}’s {Topic}
      The Quiet Life of {person}
      {person} Counts the {Topic} of {place}
      The {Abstract} of {person}
      {person} Came to {place} for a Week and Stayed {Count} Years
      Three Generations of {Topic}: {person} of {place}
    `),
    letter: lines(`
      Letter from {place}: {Season} Among the {Topic}
      Postcard from {place}, {Season} {year} 🏮
      To the Reader Who Asked About the {Topic} of {place}
      {place}, {Season} {year}: A Letter About {Abstract}
      A Correction, and an Apology to the {Topic} of {place}
    `),
  },
  leads: lines(`
    For {years} years {person} has looked after the {topic} of {place}. Now the keys may change hands.
    {place} wants to sell its {topic}. The neighbours have other plans.
    A visit to the {topic} of {place}, where {abstract} is still taught by example.
    They were meant to last ten years. The {topic} of {place} have stood for {years}.
    In {elsewhere} they have vanished; in {place} there are {big} names on the waiting list.
    What happens to a city when its {topic} close? {person} has kept a diary since {year}.
    {person} was told it could not be done. The {topic} of {place} prove otherwise.
    Everyone in {place} has a story about the {topic}. We collected {big} of them.
    A long {season}, a short budget and {big} volunteers: how {place} saves its {topic}.
    Our correspondent meant to stay in {place} for one night. The {topic} kept her for a whole {season}.
    No map shows the {topic} of {place} correctly. {person} has drawn a better one.
    It began with a leaking pipe in {year} and ended with a city in love with its {topic}.
    {person} on {abstract}, bad weather and the {topic} of {place}.
    A story about {topic} that begins in {place} and, against all advice, does not end there.
    The {topic} of {place} were nearly forgotten, until {person} found a box of letters from {year}.
    Between two {season} storms, {place} asks what its {topic} are worth. “More than we paid,” says {person}.
    All roads to {place}, they say, end at the {topic}. We took every one of them.
    {person} does not like visitors. We stayed for {count} days.
    The oldest {topic} of {place} go back to {year}. The newest open tomorrow, if the paint dries.
    {big} steps, {count} keys, one kettle: a week with {person} among the {topic} of {place}.
    {other} says that the {topic} are finished. {person} says that {other} said so in {year}, too.
    What would {elsewhere} give for what {place} has? A short inquiry into {topic} and {abstract}.
    Only one photograph shows {person} at work. It hangs upside down.
    Closed until further notice: how the {topic} of {place} got through the worst year since {year}.
  `),
  shared: {
    abstract: words('patience, attention, luck, silence, memory, stubbornness, thrift, courage, waiting, good company'),
    saying: lines(`
      I never trusted a quiet room
      We repair what we can name
      Nobody retires from this
      You learn to listen to the floor
      First you sweep, then you talk
      A key is only a question
      Ask me again when it rains
      I was only going to help for one winter
    `),
    book: lines(`
      The Second Lamp
      A Grammar of Rain
      Salt for the Ferryman
      The Cartographer’s Sister
      All the Doors in Winter
      Minor Harbours
      The Weight of Paper
      Everything but the Bells
      An Atlas of Small Hours
      The Glass Apprentice
    `),
    season: words('spring, summer, autumn, winter'),
    count: words('two, three, four, five, six, seven, eight, nine, eleven, twelve, thirteen, twenty'),
  },
  forms: (topic, city) => ({ topic: topic.en, Topic: titleCase(topic.en), place: city.name.en }),
};
