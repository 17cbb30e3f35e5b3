/** French: the same titles, leads and shared words as in English, and sentences of its own. */
import { lines, words } from './text.ts';
import type { Tongue } from './tongue.ts';

export const FRENCH: Tongue = {
  titles: {
    essay: lines(`
      Pourquoi les {topic} {of_place} comptent
      Éloge des {topic} {of_place}
      Ce que les {topic} {of_place} m’ont appris sur {abstract}
      {Abstract} et les {topic} {of_place}
      Notes sur les {topic}, écrites à {place}
      Contre le sauvetage des {topic} {of_place}
      Entre {place} et {elsewhere} : souvenir des {topic}
      La question de {year} : qui, à {place}, a besoin des {topic} ?
      Petite théorie sur {abstract}, avec des {topic}
    `),
    report: lines(`
      Qui veille sur les {topic} {of_place} ?
      La longue lutte pour les {topic} {of_place}
      {Count} nuits à {place}, parmi les {topic}
      Comment {place} a perdu ses {topic} et trouvé {abstract}
      Les derniers jours des {topic} {of_place}
      {place} ferme ses {topic}, {elsewhere} en ouvre d’autres
      Au cœur des {topic} {of_place}
      Les {topic} que {place} a oublié de fermer
      Depuis {year}, {place} se dispute au sujet de ses {topic}
    `),
    interview: lines(`
      « {saying} » : {person} et les {topic} {of_place}
      {person} garde les portes ouvertes : les {topic} {of_place}
      Promenade à {place} avec {person}
      {Count} questions à {person} sur les {topic}
      {person} et {other}, deux avis sur les {topic}
    `),
    review: lines(`
      « {book} », par {person} : notre critique
      Une nouvelle carte des {topic} {of_place}
      Vu à {place} : « {book} », par {person}
      {person} raconte les {topic} {of_place}
      « {book} », le meilleur livre sur les {topic} depuis {year} ?
    `),
    guide: lines(`
      {place} : le guide des {topic}
      {Count} détours près de {place} pour l’amour des {topic}
      {place} : les {topic} le temps d’un week-end
      Comment lire les {topic} {of_place}
      De ville en ville, jusqu’à {elsewhere} : des {topic} sur une route lente
      Où trouver à {place} les plus vieilles traces des {topic}
    `),
    portrait: lines(`
      {person} et les {topic} {of_place} : une vie de garde
      {person}, une vie tranquille
      {person} compte les {topic} {of_place}
      {person}, ou {abstract}
      Une semaine à {place}, devenue {count} années : {person}
      Trois générations au service des {topic} : {person}, {place}
    `),
    letter: lines(`
      Lettre {of_place} : une saison parmi les {topic}
      Carte postale {of_place}, {season} {year} 🏮
      À qui nous demandait des nouvelles des {topic} {of_place}
      {place}, {season} {year} : une lettre sur {abstract}
      Rectificatif, et nos excuses aux {topic} {of_place}
    `),
  },
  leads: lines(`
    Depuis {years} ans, {person} veille sur les {topic} {of_place}. Les clés pourraient bientôt changer de mains.
    {place} veut vendre ses {topic}. Le voisinage a d’autres projets.
    Visite aux {topic} {of_place}, où {abstract} s’enseigne encore par l’exemple.
    On leur donnait dix ans. Les {topic} {of_place} en ont {years}.
    À {elsewhere}, plus une trace ; à {place}, {big} noms sur la liste d’attente.
    Que devient une ville quand ferment ses {topic} ? {person} tient un journal depuis {year}.
    On avait dit à {person} que c’était impossible. Les {topic} {of_place} prouvent le contraire.
    Tout le monde à {place} a une histoire sur les {topic}. Nous en avons recueilli {big}.
    Un long {season}, un petit budget et {big} bénévoles : comment {place} sauve ses {topic}.
    Notre correspondante devait rester une nuit à {place}. Les {topic} l’ont retenue tout l’{season_after_l}.
    Aucune carte ne montre bien les {topic} {of_place}. {person} en a dessiné une meilleure.
    Tout a commencé par une fuite d’eau en {year} et fini par une ville éprise de ses {topic}.
    {person} sur {abstract}, le mauvais temps et les {topic} {of_place}.
    Une histoire sur les {topic} qui commence à {place} et qui, contre tout conseil, ne s’y termine pas.
    L’oubli guettait les {topic} {of_place} ; puis {person} a trouvé une boîte de lettres de {year}.
    Entre deux orages, {place} se demande ce que valent ses {topic}. « Plus que le prix payé », dit {person}.
    On dit que toutes les routes vers {place} mènent aux {topic}. Nous les avons toutes prises.
    {person} n’aime pas les visites. Nous sommes restés {count} jours.
    Les premières traces des {topic} {of_place} datent de {year}. Les dernières seront de demain, si la peinture sèche.
    {big} marches, {count} clés, une bouilloire : une semaine avec {person} parmi les {topic} {of_place}.
    {other} dit que c’en est fini des {topic}. {person} répond que {other} le disait déjà en {year}.
    Que donnerait {elsewhere} pour avoir ce qu’a {place} ? Brève enquête sur les {topic} et {abstract}.
    Une seule photo montre {person} au travail. Elle est accrochée à l’envers.
    Fermé jusqu’à nouvel ordre : comment les {topic} {of_place} ont traversé la pire année depuis {year}.
  `),
  shared: {
    abstract: lines(`
      la patience
      l’attention
      la chance
      le silence
      la mémoire
      l’obstination
      l’épargne
      le courage
      l’attente
      la bonne compagnie
    `),
    saying: lines(`
      Je n’ai jamais fait confiance à une pièce silencieuse
      On répare ce qu’on sait nommer
      Personne ne prend sa retraite ici
      On apprend à écouter le plancher
      On balaie d’abord, on parle ensuite
      Une clé n’est qu’une question
      Redemandez-moi quand il pleuvra
      Je ne devais aider qu’un seul hiver
    `),
    book: lines(`
      La Seconde Lampe
      Grammaire de la pluie
      Du sel pour le passeur
      La Sœur du cartographe
      Toutes les portes en hiver
      Ports mineurs
      Le Poids du papier
      Tout sauf les cloches
      Atlas des petites heures
      L’Apprenti de verre
    `),
    season: words('printemps, été, automne, hiver'),
    count: words('deux, trois, quatre, cinq, six, sept, huit, neuf, onze, douze, treize, vingt'),
  },
  headings: lines(`
    Ce que dit le registre
    Une pièce et deux horloges
    Pluie les deux jours
    Le prix de la garde
    Avant l’ouverture
    Il faut bien quelqu’un
    Ce qui reste
  `),
  openings: lines(`
    Ce qui frappe d’abord, près des {topic} {of_place}, c’est {sound}.
    Il est {hour} à {place}, {weather}, et {person} travaille déjà.
    À {place}, personne n’est d’accord sur le nombre des {topic} d’autrefois ; on dit {n}, on dit {big}.
    En {year}, la ville a dressé la liste de tout ce dont elle pouvait se passer, et les {topic} y figuraient.
    {person} garde {object} dans un tiroir et refuse de parler des {topic} avant de l’avoir montré.
    Certaines villes mettent leur histoire au musée ; {place} la met dans ses {topic}.
    Le dernier bus s’arrête à {n} minutes des {topic} : on finit donc à pied.
    « Prenez un manteau », écrivait {person} la veille, puis, une minute plus tard : « Prenez-en deux ».
    Demandez à trois personnes de {place} ce que sont les {topic}, et vous aurez quatre réponses.
  `),
  middles: lines(`
    {office} paie la lumière, les voisins paient la peinture, et personne ne paie le temps.
    Les bons mois, {big} personnes passent ; les mauvais, {person} les connaît toutes par leur prénom.
    Ce qui ressemble à de la négligence devient, à la seconde visite, une méthode.
    Un registre note chaque réparation depuis {year}, jusqu’à la dernière vis.
    On a tenté la même chose à {elsewhere}, avec plus d’argent et moins de chance.
    On reconnaît les habitués à leurs chaussures.
    Il m’a fallu {n} visites avant qu’on m’offre une chaise.
    Des ingénieurs {of_elsewhere} sont venus tout mesurer et sont repartis avec {n} caisses de notes.
    Rien de tout cela n’est efficace, et c’est peut-être pour cela que cela tient.
    L’eau est montée jusqu’à la troisième marche en {year}, une ligne de laiton en témoigne.
    Ce que les brochures appellent patrimoine, {person} l’appelle {weekday}.
    Chaque année, quelqu’un propose une application.
    Il y eut une crue en {year}, une grève l’année suivante, et un mariage entre les deux.
    {other} a apporté {object}, et personne n’a eu le courage d’y toucher.
    Sans les {topic}, dit une ancienne maire, {place} serait un parking avec vue.
    La liste d’attente compte {big} noms et se tient au crayon.
    Les chiffres que donne {person} et ceux de la mairie diffèrent du simple au double, et chacun est fier des siens.
    Aux nouveaux, on confie les tâches faciles : balayer, porter, écouter {other}.
  `),
  indoors: lines(`
    Le toit a été refait en {year} et fuit depuis au même endroit.
    Le règlement tient sur une carte, près de la porte : pas de cris, pas de crédit, pas de photos.
    Il y a {n} clés, et chacune ouvre une autre dispute.
    À midi, les volets se ferment, et la ville change de visage pour une heure et demie.
    J’ai compté {n} langues avant que l’eau ne bouille.
  `),
  speeches: lines(`
    « On ne possède pas une chose pareille, dit {person}. On la garde jusqu’à ce que quelqu’un la redemande. »
    « On croit que c’est une affaire du passé, dit {person}. C’est l’affaire de {weekday} prochain. »
    « Ma mère venait ici se réchauffer, dit {person}. Moi, je venais discuter. Nous avions raison. »
    « Nous ne sommes pas des romantiques, insiste {other}. Nous avons un tableur. »
    « Les {years} premières années sont difficiles, dit {person}. Après, on ne compte plus. »
    « Non, ce bruit est normal, dit {person}. Inquiétez-vous quand il s’arrête. »
    « Ici, tout a été réparé au moins une fois, dit {other}, moi aussi. »
  `),
  closings: lines(`
    Au moment du départ, {person} me confie {object} ; je le rapporterai quand je voudrai.
    Le bus a du retard, {weather}, et cela ne gêne personne.
    Puis les lampes s’éteignent l’une après l’autre, et {place} redevient une ville.
    L’an prochain, on recomptera.
    Derrière nous, quelqu’un commence à balayer.
    La question de savoir qui paie est remise à {weekday}, comme depuis {year}.
    Ce n’est pas grand-chose, dit {person}, mais tout y est, et tout est payé.
  `),
  pools: {
    sound: words(
      'le bruit d’un seul balai, un air que l’on fredonne, le gravier mouillé, une radio dans la pièce voisine',
    ),
    hour: words('cinq heures du matin, quatre heures et demie, presque minuit, un peu plus de six heures'),
    weather: words(`
      une pluie fine tombe, le brouillard ne s’est pas levé, le vent vient de l’eau, la neige fond déjà
      la chaleur pèse sur les murs, le ciel a la couleur de l’étain
    `),
    object: words(`
      un sifflet de laiton, un plan sans nord, un gant orphelin, un héron empaillé, un réveil sans aiguilles
    `),
    office: words('le conseil municipal, l’office du patrimoine, la capitainerie, la paroisse'),
    weekday: words('lundi, mardi, mercredi, jeudi, vendredi, samedi'),
    number: words('deux, trois, quatre, cinq, six, sept, neuf, onze, douze, quatorze'),
    season_after_l: words('été, automne, hiver'),
  },
  forms: (topic, city, elsewhere) => ({
    topic: topic.fr,
    place: city.name.fr,
    of_place: of(city.name.fr),
    of_elsewhere: of(elsewhere.name.fr),
  }),
};

/** `de`, elided before a vowel. */
function of(city: string): string {
  return /^[AEIOUÉÈÎ]/.test(city) ? `d’${city}` : `de ${city}`;
}
