/** German: the same titles, leads and shared words as in English, and sentences of its own. */
import { lines, words } from './text.ts';
import type { Tongue } from './tongue.ts';

export const GERMAN: Tongue = {
  titles: {
    essay: lines(`
      Warum die {topic} von {place} zählen
      Lob der {topic} von {place}
      Was mich die {topic} von {place} über {abstract} lehrten
      {Abstract} und die {topic} von {place}
      Notizen über {topic}, geschrieben in {place}
      Gegen die Rettung der {topic} von {place}
      Zwischen {place} und {elsewhere}: Erinnerung an die {topic}
      Die Frage von {year}: Wer braucht in {place} {topic}?
      Kleine Theorie über {abstract}, mit {topics}
    `),
    report: lines(`
      Wer kümmert sich um die {topic} von {place}?
      Der lange Kampf um die {topic} von {place}
      {Count} Nächte in {place}, unter {topics}
      Wie {place} seine {topic} verlor und dafür {abstract} fand
      Die letzten {topic} von {place}
      {place} schließt seine {topic}, {elsewhere} eröffnet neue
      Ganz nah an den {topics} von {place}
      Die {topic}, die {place} zu schließen vergaß
      Seit {year} streitet {place} über seine {topic}
    `),
    interview: lines(`
      „{saying}“: {person} über die {topic} von {place}
      {person} hält die {topic} von {place} offen
      Ein Gang durch {place} mit {person}
      {Count} Fragen an {person} über {topic}
      {person} und {other} streiten über {topic}
    `),
    review: lines(`
      „{book}“ von {person}, besprochen
      Eine neue Karte der {topic} von {place}
      Gesehen in {place}: „{book}“ von {person}
      {person} beschreibt die {topic} von {place}
      Ist „{book}“ das beste Buch über {topic} seit {year}?
    `),
    guide: lines(`
      {place}: Ein Führer zu den {topics}
      {Count} {topic} rund um {place}, die den Umweg lohnen
      Ein Wochenende in {place} im {season}, entlang der {topic}
      Wie man die {topic} von {place} liest
      Von {place} nach {elsewhere}: {topic} auf langsamem Weg
      Wo in {place} die ältesten {topic} zu finden sind
    `),
    portrait: lines(`
      {person} hütet die {topic} von {place}
      Das stille Leben von {person}
      {person} zählt die {topic} von {place}
      {person} oder: {abstract}
      {person} kam für eine Woche nach {place} und blieb {count} Jahre
      Drei Generationen {topic}: {person} aus {place}
    `),
    letter: lines(`
      Brief aus {place}: {season} bei den {topics}
      Postkarte aus {place}, {season} {year} 🏮
      An alle, die nach den {topics} von {place} fragten
      {place}, {season} {year}: Ein Brief über {abstract}
      Berichtigung und Abbitte an die {topic} von {place}
    `),
  },
  leads: lines(`
    Seit {years} Jahren sieht {person} nach den {topics} von {place}. Nun könnten die Schlüssel den Besitzer wechseln.
    {place} will seine {topic} verkaufen. Die Nachbarn haben andere Pläne.
    Ein Besuch bei den {topics} von {place}, wo man {abstract} noch am Beispiel lernt.
    Zehn Jahre sollten sie halten. Die {topic} von {place} stehen seit {years}.
    In {elsewhere} sind sie verschwunden; in {place} stehen {big} Namen auf der Warteliste.
    Was geschieht mit einer Stadt, deren {topic} schließen? {person} führt seit {year} Tagebuch.
    Man sagte {person}, es sei unmöglich. Die {topic} von {place} beweisen das Gegenteil.
    In {place} hat jeder eine Geschichte über die {topic}. Wir haben {big} davon gesammelt.
    Ein langer {season}, wenig Geld und {big} Freiwillige: wie {place} seine {topic} rettet.
    Unsere Korrespondentin wollte eine Nacht in {place} bleiben. Wegen der {topic} wurde es ein ganzer {season}.
    Keine Karte zeigt die {topic} von {place} richtig. {person} hat eine bessere gezeichnet.
    Es begann {year} mit einem undichten Rohr und endete mit einer Stadt, die ihre {topic} liebt.
    {person} über {abstract}, schlechtes Wetter und die {topic} von {place}.
    Eine Geschichte über {topic}, die in {place} beginnt und gegen jeden Rat nicht dort endet.
    Fast vergaß man die {topic} von {place}, bis {person} eine Schachtel mit Briefen von {year} fand.
    Zwischen zwei Stürmen fragt sich {place}, was seine {topic} wert sind. „Mehr, als wir zahlten“, sagt {person}.
    Alle Wege nach {place}, heißt es, enden bei den {topics}. Wir sind sie alle gegangen.
    {person} mag keinen Besuch. Wir blieben {count} Tage.
    Die ältesten {topic} von {place} gibt es seit {year}. Die neuesten eröffnen morgen, wenn die Farbe trocknet.
    {big} Stufen, {count} Schlüssel, ein Kessel: eine Woche mit {person} bei den {topics} von {place}.
    {other} sagt, mit den {topics} sei es vorbei. {person} sagt, das habe {other} schon {year} gesagt.
    Was gäbe {elsewhere} für das, was {place} hat? Eine kurze Untersuchung über {topic} und {abstract}.
    Nur ein Foto zeigt {person} bei der Arbeit. Es hängt verkehrt herum.
    Geschlossen bis auf Weiteres: wie die {topic} von {place} durch das schlimmste Jahr seit {year} kamen.
  `),
  shared: {
    abstract: words(
      'Geduld, Aufmerksamkeit, Glück, Stille, Erinnerung, Eigensinn, Sparsamkeit, Mut, Warten, gute Gesellschaft',
    ),
    saying: lines(`
      Einem stillen Zimmer habe ich nie getraut
      Wir reparieren, was wir benennen können
      Davon geht niemand in Rente
      Man lernt, dem Fußboden zuzuhören
      Erst wird gefegt, dann geredet
      Ein Schlüssel ist nur eine Frage
      Fragen Sie noch einmal, wenn es regnet
      Ich wollte nur einen Winter lang helfen
    `),
    book: lines(`
      Die zweite Lampe
      Grammatik des Regens
      Salz für den Fährmann
      Die Schwester des Kartographen
      Alle Türen im Winter
      Kleine Häfen
      Das Gewicht des Papiers
      Alles außer den Glocken
      Atlas der frühen Stunden
      Der gläserne Lehrling
    `),
    season: words('Frühling, Sommer, Herbst, Winter'),
    count: words('zwei, drei, vier, fünf, sechs, sieben, acht, neun, elf, zwölf, dreizehn, zwanzig'),
  },
  headings: lines(`
    Was im Kassenbuch steht
    Ein Zimmer mit zwei Uhren
    Regen an beiden Tagen
    Der Preis des Bewahrens
    Bevor geöffnet wird
    Einer muss ja
    Was bleibt
  `),
  openings: lines(`
    Was bei den {topics} von {place} zuerst auffällt, ist {sound}.
    Es ist {hour} in {place}, {weather}, und {person} arbeitet schon.
    Wie viele {topic} es in {place} einmal gab, ist umstritten; die einen sagen {n}, die anderen {big}.
    Im Jahr {year} schrieb die Stadt alles auf, worauf sie verzichten konnte, und die {topic} standen auf der Liste.
    {person} bewahrt {object} in einer Schublade auf und spricht nicht über die {topic}, ehe man das Stück gesehen hat.
    Manche Städte heben ihre Geschichte im Museum auf; {place} hat dafür seine {topic}.
    Der letzte Bus hält {n} Minuten vor den {topics}, also geht man zu Fuß.
    „Bringen Sie einen Mantel mit“, schrieb {person} am Vorabend, und eine Minute später: „Besser zwei“.
    Wer in {place} drei Leute nach den {topics} fragt, bekommt vier Antworten und etwas Heißes zu trinken.
  `),
  middles: lines(`
    {office} zahlt das Licht, die Nachbarn zahlen die Farbe, und die Zeit zahlt niemand.
    In guten Monaten kommen {big} Leute, in schlechten kennt {person} alle beim Namen.
    Was nach Nachlässigkeit aussieht, erweist sich beim zweiten Besuch als Methode.
    Ein Kassenbuch führt jede Reparatur seit {year} auf, bis zur letzten Schraube.
    In {elsewhere} hat man dasselbe versucht, mit mehr Geld und weniger Glück.
    Die Stammgäste erkennt man an den Schuhen.
    Erst beim Besuch Nummer {number} bot mir jemand einen Stuhl an.
    Ingenieure aus {elsewhere} kamen, um alles zu vermessen, und fuhren mit {n} Kisten Notizen nach Hause.
    Effizient ist daran nichts, und vielleicht gibt es das alles deshalb noch.
    {year} stand das Wasser auf der dritten Stufe, eine Linie aus Messing beweist es.
    Was die Broschüren Erbe nennen, nennt {person} {weekday}.
    Jedes Jahr schlägt jemand eine App vor.
    Es gab {year} eine Flut, im Jahr darauf einen Streik und dazwischen eine Hochzeit.
    {other} hat {object} mitgebracht, und seither traut sich niemand, das Stück zu bewegen.
    Ohne die {topic}, sagt eine frühere Bürgermeisterin, wäre {place} ein Parkplatz mit Aussicht.
    Auf der Warteliste stehen {big} Namen, mit Bleistift.
    Die Zahlen von {person} und die der Stadt weichen um das Doppelte voneinander ab, und beide sind stolz auf ihre.
    Fremde bekommen zuerst die leichten Aufgaben: fegen, tragen und {other} zuhören.
  `),
  indoors: lines(`
    Das Dach wurde {year} geflickt und ist seither an derselben Stelle undicht.
    Die Regeln stehen auf einer Karte neben der Tür: kein Geschrei, kein Kredit, keine Fotos.
    Es gibt {n} Schlüssel, und jeder öffnet einen anderen Streit.
    Um zwölf gehen die Läden herunter, und für anderthalb Stunden ist {place} eine andere Stadt.
    Ich zählte {n} Sprachen, bevor das Wasser kochte.
  `),
  speeches: lines(`
    „So etwas besitzt man nicht“, sagt {person}. „Man hält es, bis jemand es zurückhaben will.“
    „Alle glauben, es gehe um früher“, sagt {person}. „Es geht um nächsten {weekday}.“
    „Meine Mutter kam her, um sich zu wärmen“, sagt {person}. „Ich kam, um zu streiten. Wir hatten beide recht.“
    „Romantisch sind wir nicht“, sagt {other}. „Wir haben eine Tabelle.“
    „Die ersten {years} Jahre sind schwer“, sagt {person}. „Danach zählt man nicht mehr.“
    „Nein, das Geräusch ist normal“, sagt {person}. „Sorgen Sie sich, wenn es aufhört.“
    „Hier ist alles mindestens einmal repariert worden“, sagt {other}, „ich auch.“
  `),
  closings: lines(`
    Zum Abschied drückt mir {person} {object} in die Hand; zurückbringen darf ich das Stück, wann ich will.
    Der Bus hat Verspätung, {weather}, und es stört niemanden.
    Dann gehen die Lampen aus, eine nach der anderen, und {place} ist wieder nur eine Stadt.
    Nächstes Jahr wird wieder gezählt.
    Hinter uns fängt jemand an zu fegen.
    Die Frage, wer zahlt, wird auf {weekday} vertagt, wie immer seit {year}.
    Viel ist es nicht, sagt {person}, aber es ist alles da, und es ist bezahlt.
  `),
  pools: {
    sound: words('das Geräusch eines einzelnen Besens, ein gesummtes Lied, nasser Kies, ein Radio im Nebenzimmer'),
    hour: words('fünf Uhr früh, halb fünf, kurz nach sechs, fast Mitternacht'),
    weather: words(`
      ein dünner Regen fällt, der Nebel hat sich nicht gehoben, der Wind kommt vom Wasser, der Schnee ist schon Matsch
      die Hitze lehnt an den Mauern, der Himmel hat die Farbe von Zinn
    `),
    object: words(`
      eine Messingpfeife, eine Karte ohne Norden, eine Uhr ohne Zeiger, eine Schachtel unbezahlter Rechnungen
      eine halbe Leiter
    `),
    office: words('der Stadtrat, das Denkmalamt, das Hafenamt, die Gemeinde'),
    weekday: words('Montag, Dienstag, Mittwoch, Donnerstag, Freitag, Samstag'),
    number: words('zwei, drei, vier, fünf, sechs, sieben, neun, elf, zwölf, vierzehn'),
  },
  forms: (topic, city) => ({ topic: topic.de, topics: topic.deDative, place: city.name.de }),
};
