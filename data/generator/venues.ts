/** Names and descriptions of invented places to eat, drink and sleep. */
import type { City } from './cities.ts';
import { person } from './names.ts';
import type { Random } from './random.ts';
import { capitalise, fill, lines, sentenceCase, table, words } from './text.ts';

export const PLACE_KINDS = ['restaurant', 'cafe', 'bakery', 'bar', 'market', 'guesthouse'];

// culture | names; cultures without a row use the last one
const PATTERNS = table(`
  portuguese | Tasca {last}, Casa do {noun_pt}, Pastelaria {last}, Adega {first}
  spanish | Mesón {last}, Fonda {first}, La {noun_es} Azul, Taberna {last}
  french | Chez {first}, Le Petit {noun_fr}, Café {last}, À la {noun_fr2} d’Or
  german | Zum Blauen {noun_de}, Wirtshaus {last}, Café {last}, Bäckerei {last} & Töchter
  italian | Trattoria {last}, Da {first}, Osteria del {noun_it}, Forno {last}
  polish | Bar Mleczny {first}, Karczma {last}, Piekarnia {last}, Pod Złotym {noun_pl}
  nordic | Kafé {last}, {first} & Co, Bageri {last}, Lanternen
  turkish | {last} Lokantası, Çay Evi {first}, {first} Usta, Mavi Fener
  japanese | Kissaten {last}, Izakaya {first}, {last}-ya, 灯台 (Lighthouse)
  greek | Taverna {last}, Kafeneio {first}, To Fanari, {first} & {last}
  any | The {adjective} {noun}, {last} & Daughters, {first}’s Kitchen, The {noun} and {noun}, {last} Rooms, House of {noun}s
`);

const FIXED_KINDS: [RegExp, string][] = [
  [/Pastelaria|Forno|Piekarnia|Bageri|Bäckerei/, 'bakery'],
  [/Café|Kafé|Kissaten|Kafeneio|Çay|Fener/, 'cafe'],
  [/Rooms|House of/, 'guesthouse'],
  [/Adega|Taberna|Izakaya/, 'bar'],
];

const POOLS: Record<string, string[]> = {
  noun_pt: words('Farol, Moinho, Candeeiro, Ferreiro'),
  noun_es: words('Lámpara, Campana, Escalera, Llave'),
  noun_fr: words('Phare, Moulin, Réverbère, Canotier'),
  noun_fr2: words('Lanterne, Cloche, Clé, Passerelle'),
  noun_de: words('Krug, Anker, Fährmann, Leuchtturm'),
  noun_it: words('Fanale, Molo, Campanile, Vetraio'),
  noun_pl: words('Kogutem, Dzwonem, Kluczem, Młynem'),
  adjective: words('Blue, Patient, Crooked, Copper, Quiet, Second, Salted, Borrowed, Northern, Green'),
  noun: words('Kettle, Ladder, Heron, Lantern, Anchor, Button, Quince, Spoon, Bell, Thimble, Pear, Oar'),
};

export function venueName(random: Random, city: City): { name: string; kind: string } {
  const row = PATTERNS.find(([culture]) => culture === city.culture) ?? PATTERNS[PATTERNS.length - 1];
  const keeper = person(random, city.culture);
  const name = fill(random.pick(words(row[1])), (slot) => {
    if (slot === 'last') return keeper.last;
    if (slot === 'first') return keeper.full.split(' ')[0];
    return POOLS[slot] && random.pick(POOLS[slot]);
  });
  const kind = FIXED_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? random.pick(PLACE_KINDS);
  return { name: capitalise(name), kind };
}

const PRAISE = lines(`
  Come for the **{dish}**, stay because nobody brings the bill.
  There are {n} tables, and the one by the window belongs to the cat.
  The menu is read out loud, once, and fast.
  Order the {dish}, and do not ask for the recipe.
  The owner will say that there is no more {dish} today, and then bring a double portion.
  In the evening the lamps are lit one by one, and the talk grows quieter with each of them.
  Go early, or go with somebody who is related to the cook.
  The house wine comes in a jug, the house opinion with it.
  A sign says "No Wi\\Fi"; the backslash is original.
  Cash only, as it has been since {year}.
  They have served {dish} since {year}, on what look like the same plates.
  *Not recommended for people in a hurry*, and for everybody else without reserve.
  On Sundays there is music, if {last} has found the key to the piano.
  The kitchen closes when it runs out of {dish}, whatever the clock says.
  You share the table with strangers, and the strangers share their {dish}.
`);

const DISHES = words(`
  bean stew, smoked eel, lemon tart, lamb with quinces, rye porridge, grilled sardines, plum dumplings, fennel soup
  cardamom buns, rice with mussels, pickled herring, walnut cake, chestnut soup, pepper noodles, leek pie
`);

/** A short piece of Markdown. */
export function venueText(random: Random, city: City): string {
  return random
    .sample(PRAISE, random.integer(2, 4))
    .map((template) =>
      sentenceCase(
        fill(template, (slot) => {
          if (slot === 'dish') return random.pick(DISHES);
          if (slot === 'last') return person(random, city.culture).last;
          return String(slot === 'year' ? random.integer(1931, 2015) : random.integer(4, 19));
        }),
      ),
    )
    .join(' ');
}

export function dishes(random: Random): string[] {
  return random.sample(DISHES, random.integer(2, 4));
}
