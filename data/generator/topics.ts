/** What the magazine writes about: twelve sections, and in each of them kinds of places that people keep going. */
import { table, words } from './text.ts';

/** A topic in each language, always a plural noun without an article, so that every template can take it. */
export interface Topic {
  section: number;
  en: string;
  fr: string;
  de: string;
  /** German dative: `von Teehäusern`. */
  deDative: string;
  /** Has doors and a roof, so that a text may speak of them. */
  indoors: boolean;
}

export const SECTIONS = [
  'Food & Drink',
  'Journeys',
  'Music',
  'Books',
  'Science',
  'Cities',
  'Crafts',
  'Nature',
  'Stage & Screen',
  'Sport & Play',
  'Work & Money',
  'Past & Memory',
];

const OUTDOORS = new Set(
  words(`
    salt pans, night trains, river ferries, border crossings, branch lines, cable cars, bell towers, radio telescopes
    brass bands, village choirs, radio orchestras, street lamps, public stairways, rooftop gardens, night buses
    footbridges, shared gardens, courtyards, peat bogs, bird reserves, cider orchards, beech forests, salt marshes
    village ponds, hedgerows, sea caves, dark-sky parks, river islands, open-air cinemas, football grounds
    mining villages, castle ruins, Roman roads, cemeteries, village wells, flea markets, time banks, street kitchens
  `),
);

const ROWS = table(`
  0 | tea houses | maisons de thé | Teehäuser | Teehäusern
  0 | fish markets | marchés aux poissons | Fischmärkte | Fischmärkten
  0 | village bakeries | boulangeries de village | Dorfbäckereien | Dorfbäckereien
  0 | noodle stalls | échoppes de nouilles | Nudelstände | Nudelständen
  0 | apple presses | pressoirs à pommes | Apfelpressen | Apfelpressen
  0 | cheese cellars | caves à fromage | Käsekeller | Käsekellern
  0 | salt pans | marais salants | Salzgärten | Salzgärten
  0 | spice shops | boutiques d’épices | Gewürzläden | Gewürzläden
  0 | coffee roasteries | torréfactions | Kaffeeröstereien | Kaffeeröstereien
  0 | street kitchens | cuisines de rue | Straßenküchen | Straßenküchen
  1 | mountain huts | refuges de montagne | Berghütten | Berghütten
  1 | night trains | trains de nuit | Nachtzüge | Nachtzügen
  1 | river ferries | bacs fluviaux | Flussfähren | Flussfähren
  1 | border crossings | postes-frontières | Grenzübergänge | Grenzübergängen
  1 | branch lines | lignes secondaires | Nebenstrecken | Nebenstrecken
  1 | pilgrim hostels | gîtes de pèlerins | Pilgerherbergen | Pilgerherbergen
  1 | cable cars | téléphériques | Seilbahnen | Seilbahnen
  1 | bus stations | gares routières | Busbahnhöfe | Busbahnhöfen
  1 | harbour hotels | hôtels de port | Hafenhotels | Hafenhotels
  1 | signal boxes | postes d’aiguillage | Stellwerke | Stellwerken
  2 | dance halls | salles de bal | Tanzsäle | Tanzsälen
  2 | brass bands | fanfares | Blaskapellen | Blaskapellen
  2 | village choirs | chorales de village | Dorfchöre | Dorfchören
  2 | organ lofts | tribunes d’orgue | Orgelemporen | Orgelemporen
  2 | record shops | disquaires | Plattenläden | Plattenläden
  2 | piano workshops | ateliers de pianos | Klavierwerkstätten | Klavierwerkstätten
  2 | jazz cellars | caves de jazz | Jazzkeller | Jazzkellern
  2 | radio orchestras | orchestres de radio | Rundfunkorchester | Rundfunkorchestern
  2 | bell towers | clochers | Glockentürme | Glockentürmen
  2 | music schools | écoles de musique | Musikschulen | Musikschulen
  3 | reading rooms | salles de lecture | Lesesäle | Lesesälen
  3 | city libraries | bibliothèques municipales | Stadtbibliotheken | Stadtbibliotheken
  3 | second-hand bookshops | librairies d’occasion | Antiquariate | Antiquariaten
  3 | printing houses | imprimeries | Druckereien | Druckereien
  3 | paper mills | moulins à papier | Papiermühlen | Papiermühlen
  3 | poetry presses | maisons de poésie | Lyrikverlage | Lyrikverlagen
  3 | map rooms | cabinets de cartes | Kartenkabinette | Kartenkabinetten
  3 | book binderies | ateliers de reliure | Buchbindereien | Buchbindereien
  3 | mobile libraries | bibliobus | Bücherbusse | Bücherbussen
  3 | comic shops | librairies de bande dessinée | Comicläden | Comicläden
  4 | observatories | observatoires | Sternwarten | Sternwarten
  4 | weather stations | stations météo | Wetterstationen | Wetterstationen
  4 | seed banks | banques de graines | Samenbanken | Samenbanken
  4 | glasshouses | serres | Gewächshäuser | Gewächshäusern
  4 | marine stations | stations marines | Meeresstationen | Meeresstationen
  4 | planetariums | planétariums | Planetarien | Planetarien
  4 | bee laboratories | laboratoires d’abeilles | Bienenlabore | Bienenlaboren
  4 | radio telescopes | radiotélescopes | Radioteleskope | Radioteleskopen
  4 | mineral cabinets | cabinets de minéraux | Gesteinssammlungen | Gesteinssammlungen
  4 | earthquake stations | stations sismiques | Erdbebenwarten | Erdbebenwarten
  5 | street lamps | réverbères | Straßenlaternen | Straßenlaternen
  5 | tram depots | dépôts de tramway | Straßenbahndepots | Straßenbahndepots
  5 | public stairways | escaliers publics | Stadttreppen | Stadttreppen
  5 | rooftop gardens | jardins sur les toits | Dachgärten | Dachgärten
  5 | public baths | bains publics | Badehäuser | Badehäusern
  5 | market halls | halles de marché | Markthallen | Markthallen
  5 | night buses | bus de nuit | Nachtbusse | Nachtbussen
  5 | footbridges | passerelles | Fußgängerbrücken | Fußgängerbrücken
  5 | shared gardens | jardins partagés | Gemeinschaftsgärten | Gemeinschaftsgärten
  5 | courtyards | cours intérieures | Innenhöfe | Innenhöfen
  6 | lantern workshops | ateliers de lanternes | Laternenwerkstätten | Laternenwerkstätten
  6 | glassworks | verreries | Glashütten | Glashütten
  6 | pottery kilns | fours de potier | Töpferöfen | Töpferöfen
  6 | weaving mills | tissages | Webereien | Webereien
  6 | boatyards | chantiers navals | Bootswerften | Bootswerften
  6 | umbrella workshops | ateliers de parapluies | Schirmwerkstätten | Schirmwerkstätten
  6 | forges | forges | Schmieden | Schmieden
  6 | dye houses | teintureries | Färbereien | Färbereien
  6 | violin workshops | ateliers de lutherie | Geigenwerkstätten | Geigenwerkstätten
  6 | button factories | fabriques de boutons | Knopffabriken | Knopffabriken
  7 | peat bogs | tourbières | Moore | Mooren
  7 | bird reserves | réserves d’oiseaux | Vogelreservate | Vogelreservaten
  7 | cider orchards | vergers à cidre | Obstwiesen | Obstwiesen
  7 | beech forests | hêtraies | Buchenwälder | Buchenwäldern
  7 | salt marshes | prés salés | Salzwiesen | Salzwiesen
  7 | village ponds | mares de village | Dorfteiche | Dorfteichen
  7 | hedgerows | haies | Hecken | Hecken
  7 | sea caves | grottes marines | Meereshöhlen | Meereshöhlen
  7 | dark-sky parks | parcs étoilés | Sternenparks | Sternenparks
  7 | river islands | îles fluviales | Flussinseln | Flussinseln
  8 | village cinemas | cinémas de village | Dorfkinos | Dorfkinos
  8 | puppet theatres | théâtres de marionnettes | Puppentheater | Puppentheatern
  8 | circus schools | écoles de cirque | Zirkusschulen | Zirkusschulen
  8 | opera houses | maisons d’opéra | Opernhäuser | Opernhäusern
  8 | open-air cinemas | cinémas en plein air | Freiluftkinos | Freiluftkinos
  8 | film archives | archives de cinéma | Filmarchive | Filmarchiven
  8 | costume stores | réserves de costumes | Kostümlager | Kostümlagern
  8 | shadow theatres | théâtres d’ombres | Schattentheater | Schattentheatern
  8 | scenery workshops | ateliers de décors | Theaterwerkstätten | Theaterwerkstätten
  8 | cabarets | cabarets | Kabaretts | Kabaretts
  9 | chess clubs | clubs d’échecs | Schachklubs | Schachklubs
  9 | football grounds | terrains de football | Fußballplätze | Fußballplätzen
  9 | open-air pools | piscines en plein air | Freibäder | Freibädern
  9 | bowling alleys | bowlings | Kegelbahnen | Kegelbahnen
  9 | velodromes | vélodromes | Radrennbahnen | Radrennbahnen
  9 | rowing clubs | clubs d’aviron | Ruderklubs | Ruderklubs
  9 | toy museums | musées du jouet | Spielzeugmuseen | Spielzeugmuseen
  9 | climbing halls | salles d’escalade | Kletterhallen | Kletterhallen
  9 | skating rinks | patinoires | Eisbahnen | Eisbahnen
  9 | card rooms | salons de cartes | Kartensalons | Kartensalons
  10 | repair cafés | cafés de réparation | Reparaturcafés | Reparaturcafés
  10 | savings banks | caisses d’épargne | Sparkassen | Sparkassen
  10 | pawnshops | monts-de-piété | Leihhäuser | Leihhäusern
  10 | corner shops | épiceries de quartier | Eckläden | Eckläden
  10 | cooperatives | coopératives | Genossenschaften | Genossenschaften
  10 | shipping offices | bureaux maritimes | Schiffskontore | Schiffskontoren
  10 | post offices | bureaux de poste | Postämter | Postämtern
  10 | flea markets | marchés aux puces | Flohmärkte | Flohmärkten
  10 | time banks | banques de temps | Zeitbanken | Zeitbanken
  10 | factory canteens | cantines d’usine | Werkskantinen | Werkskantinen
  11 | lighthouses | phares | Leuchttürme | Leuchttürmen
  11 | city archives | archives municipales | Stadtarchive | Stadtarchiven
  11 | local museums | musées locaux | Heimatmuseen | Heimatmuseen
  11 | mining villages | villages de mineurs | Bergarbeiterdörfer | Bergarbeiterdörfern
  11 | castle ruins | ruines de châteaux | Burgruinen | Burgruinen
  11 | Roman roads | voies romaines | Römerstraßen | Römerstraßen
  11 | photo studios | studios de photographie | Fotoateliers | Fotoateliers
  11 | cemeteries | cimetières | Friedhöfe | Friedhöfen
  11 | telephone exchanges | centraux téléphoniques | Telefonzentralen | Telefonzentralen
  11 | village wells | puits de village | Dorfbrunnen | Dorfbrunnen
`);

export const TOPICS: readonly Topic[] = ROWS.map(([section, en, fr, de, deDative]) => ({
  section: Number(section),
  en,
  fr,
  de,
  deDative,
  indoors: !OUTDOORS.has(en),
}));

/** Ten topics in each section, those of section s from index 10 s on. */
export const TOPICS_PER_SECTION = TOPICS.length / SECTIONS.length;
