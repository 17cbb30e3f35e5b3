/** Invented people: first and last names by culture, put together at random. */
import type { Random } from './random.ts';
import { table, words } from './text.ts';

export interface Person {
  full: string;
  last: string;
}

// culture | first names | last names
const NAMES = table(`
  portuguese | Inês, Tomé, Graça, Duarte, Célia, Valdemar, Luzia, Amílcar | Quintela, Barroso, Vilarinho, Mourão, Sequeira, Falcão, Lobato, Nóbrega
  spanish | Itziar, Anselmo, Rocío, Leandro, Amparo, Fermín, Ximena, Baltasar | Urrutia, Peñalver, Ocaña, Zambrano, Ibarra, Cienfuegos, Muñiz, Arrieta
  french | Solène, Anatole, Maëlle, Gaspard, Héloïse, Cyprien, Noémie, Côme | Lacombe, Bréhat, Vasseur, Chastel, d’Aubrac, Périgord, Thévenot, Maréchal-Roux
  german | Wiebke, Jörn, Friederike, Lutz, Käthe, Ansgar, Imke, Götz | Brinkmann, Süßkind, Achterberg, Möllendorf, Kranz, Überreiter, Sauerland, Tannhof
  italian | Ottavia, Ruggero, Fiamma, Ezio, Ludovica, Nevio, Perla, Saverio | Bellandi, Cortesaggio, D’Ancora, Fontanarosa, Malaspina, Strozzeri, Vianello, Zanicotti
  polish | Bożena, Kazimierz, Jagoda, Mieszko, Łucja, Zbigniew, Róża, Świętosław | Wierzbicki, Żółkiewska, Gołąb, Dąbrowiecka, Śliwa, Kowalczuk, Ćwikliński, Mróz
  nordic | Solveig, Eirik, Åsa, Torbjörn, Aino, Snorri, Ragnhild, Mikkel | Østergaard, Lindqvist-Ek, Hákonardóttir, Bjørnstad, Koskinen, Ålund, Vestby, Sæther
  turkish | Defne, Orhun, Şebnem, Çağrı, Işıl, Tuncay, Gülru, İlker | Karadeniz, Özgüven, Yıldırımcı, Çelebi, Şahinoğlu, Uçar, Göktepe, Balıkçı
  arabic | Nahla, Idris, Samira, Yusri, Lubna, Tariq, Hayat, Munir | Benkhalifa, al-Rawi, Haddadine, Zaytouni, Bouazzaoui, Qabbani, Sefrioui, Mansouri
  japanese | Chiyo, Haruto, Sumire, Kenjirō, Mio, Tatsuo, Fumiko, Ryō | Amagawa, Hoshikawa, Kuramochi, Ōnuki, Shiratori, Tsukamoto, Umezaki, Wakahara
  korean | Ha-eun, Do-yun, Seo-yeon, Min-jae, Bo-ra, Tae-oh | Gwak, Namgung, Pyo, Seonwoo, Ok, Hwangbo
  vietnamese | Thảo, Quốc, Hằng, Đức, Ánh, Khôi | Lê Thiện, Đặng Hữu, Phùng, Tôn Nữ, Mạc, Vương Đình
  westafrican | Aïssatou, Kwabena, Folake, Mamadou, Efua, Sékou, Abeni, Ousmane | Diakité-Sow, Asantewaa, Ogunbiyi, Camara-Bâ, Mensarko, Adeyeri, Ndoye, Boatemaa
  eastafrican | Makena, Tesfaye, Wanjiru, Abdirahman, Selam, Okello, Zawadi, Baraka | Kiptanui, Gebremeskel, Nyamweru, Hailemichael, Odongtho, Mwakasege, Tadessework, Lubowa
  indian | Anandita, Raghav, Meenakshi, Subodh, Ishani, Devdutt, Parvathi, Nikhilesh | Chakravandi, Iyengarkar, Kurianthodi, Bhattarai, Deshmane, Rathoreval, Nambissan, Tagarkar
  british | Elspeth, Rhodri, Niamh, Alastair, Bronwen, Cormac, Winifred, Fergus | O’Shaughnell, Penhaligon, Ap Gwynedd, Macquarrie, Thistlewood, Ní Dhuibhne, Ravenscroft, Okehampton
  greek | Kalliopi, Stavros, Xenia, Aristidis, Myrto, Pavlos, Danai, Thanasis | Papazoglou, Karavias, Mavrodi, Livaditis, Petroulaki, Xanthakis, Doukari, Theotokas
  georgian | Nino, Vakhtang, Ketevan, Ararat, Anahit, Zurab, Tamar, Hovik | Machabelidze, Gogoberi, Dolidze-Ruis, Sarafian, Petrosyants, Kipianishvili, Terzyan, Javakhi
`);

const CULTURES = new Map(NAMES.map(([culture, first, last]) => [culture, { first: words(first), last: words(last) }]));
const ALL = [...CULTURES.values()];

/** A person from the given culture; one in five has a first or last name from elsewhere. */
export function person(random: Random, culture?: string): Person {
  const home = (culture && CULTURES.get(culture)) || random.pick(ALL);
  const first = random.pick(random.chance(0.1) ? random.pick(ALL).first : home.first);
  const last = random.pick(random.chance(0.1) ? random.pick(ALL).last : home.last);
  return { full: `${first} ${last}`, last };
}
