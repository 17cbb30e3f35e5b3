/** The cities that the magazine writes from. */
import { table } from './text.ts';

export interface City {
  /** By language code. */
  name: { en: string; fr: string; de: string };
  country: string;
  culture: string;
  latitude: number;
  longitude: number;
}

// English, French, German name | country | culture of names | degrees north | degrees east
const ROWS = table(`
  Porto | Porto | Porto | Portugal | portuguese | 41.15 | -8.61
  Lisbon | Lisbonne | Lissabon | Portugal | portuguese | 38.72 | -9.14
  Coimbra | Coimbra | Coimbra | Portugal | portuguese | 40.21 | -8.43
  Recife | Recife | Recife | Brazil | portuguese | -8.05 | -34.88
  Seville | Séville | Sevilla | Spain | spanish | 37.39 | -5.98
  Bilbao | Bilbao | Bilbao | Spain | spanish | 43.26 | -2.93
  Valparaíso | Valparaíso | Valparaíso | Chile | spanish | -33.05 | -71.61
  Oaxaca | Oaxaca | Oaxaca | Mexico | spanish | 17.07 | -96.73
  Montevideo | Montevideo | Montevideo | Uruguay | spanish | -34.9 | -56.19
  Marseille | Marseille | Marseille | France | french | 43.3 | 5.37
  Lyon | Lyon | Lyon | France | french | 45.76 | 4.84
  Nantes | Nantes | Nantes | France | french | 47.22 | -1.55
  Liège | Liège | Lüttich | Belgium | french | 50.63 | 5.57
  Québec | Québec | Québec | Canada | french | 46.81 | -71.21
  Leipzig | Leipzig | Leipzig | Germany | german | 51.34 | 12.37
  Bremen | Brême | Bremen | Germany | german | 53.08 | 8.8
  Lübeck | Lübeck | Lübeck | Germany | german | 53.87 | 10.69
  Graz | Graz | Graz | Austria | german | 47.07 | 15.44
  Basel | Bâle | Basel | Switzerland | german | 47.56 | 7.59
  Trieste | Trieste | Triest | Italy | italian | 45.65 | 13.77
  Palermo | Palerme | Palermo | Italy | italian | 38.12 | 13.36
  Genoa | Gênes | Genua | Italy | italian | 44.41 | 8.93
  Bologna | Bologne | Bologna | Italy | italian | 44.49 | 11.34
  Łódź | Łódź | Łódź | Poland | polish | 51.76 | 19.46
  Gdańsk | Gdańsk | Danzig | Poland | polish | 54.35 | 18.65
  Kraków | Cracovie | Krakau | Poland | polish | 50.06 | 19.94
  Wrocław | Wrocław | Breslau | Poland | polish | 51.11 | 17.03
  Bergen | Bergen | Bergen | Norway | nordic | 60.39 | 5.32
  Gothenburg | Göteborg | Göteborg | Sweden | nordic | 57.71 | 11.97
  Reykjavík | Reykjavik | Reykjavík | Iceland | nordic | 64.15 | -21.94
  Aarhus | Aarhus | Aarhus | Denmark | nordic | 56.16 | 10.2
  Turku | Turku | Turku | Finland | nordic | 60.45 | 22.27
  Istanbul | Istanbul | Istanbul | Türkiye | turkish | 41.01 | 28.98
  İzmir | Izmir | Izmir | Türkiye | turkish | 38.42 | 27.14
  Mardin | Mardin | Mardin | Türkiye | turkish | 37.31 | 40.74
  Eskişehir | Eskişehir | Eskişehir | Türkiye | turkish | 39.78 | 30.52
  Fez | Fès | Fès | Morocco | arabic | 34.03 | -5
  Alexandria | Alexandrie | Alexandria | Egypt | arabic | 31.2 | 29.92
  Muscat | Mascate | Maskat | Oman | arabic | 23.59 | 58.41
  Tunis | Tunis | Tunis | Tunisia | arabic | 36.81 | 10.18
  Kanazawa | Kanazawa | Kanazawa | Japan | japanese | 36.56 | 136.66
  Otaru | Otaru | Otaru | Japan | japanese | 43.19 | 140.99
  Nagasaki | Nagasaki | Nagasaki | Japan | japanese | 32.75 | 129.88
  Kyoto | Kyoto | Kyoto | Japan | japanese | 35.01 | 135.77
  Busan | Busan | Busan | South Korea | korean | 35.18 | 129.08
  Jeonju | Jeonju | Jeonju | South Korea | korean | 35.82 | 127.15
  Huế | Hué | Huế | Vietnam | vietnamese | 16.46 | 107.59
  Hội An | Hội An | Hội An | Vietnam | vietnamese | 15.88 | 108.33
  Dakar | Dakar | Dakar | Senegal | westafrican | 14.69 | -17.45
  Saint-Louis | Saint-Louis | Saint-Louis | Senegal | westafrican | 16.03 | -16.5
  Accra | Accra | Accra | Ghana | westafrican | 5.6 | -0.19
  Ibadan | Ibadan | Ibadan | Nigeria | westafrican | 7.38 | 3.95
  Mombasa | Mombasa | Mombasa | Kenya | eastafrican | -4.04 | 39.66
  Kampala | Kampala | Kampala | Uganda | eastafrican | 0.35 | 32.58
  Addis Ababa | Addis-Abeba | Addis Abeba | Ethiopia | eastafrican | 9.01 | 38.75
  Kochi | Kochi | Kochi | India | indian | 9.93 | 76.27
  Jaipur | Jaipur | Jaipur | India | indian | 26.91 | 75.79
  Kolkata | Calcutta | Kolkata | India | indian | 22.57 | 88.36
  Galway | Galway | Galway | Ireland | british | 53.27 | -9.05
  Glasgow | Glasgow | Glasgow | United Kingdom | british | 55.86 | -4.25
  Swansea | Swansea | Swansea | United Kingdom | british | 51.62 | -3.94
  Halifax | Halifax | Halifax | Canada | british | 44.65 | -63.57
  Thessaloniki | Thessalonique | Thessaloniki | Greece | greek | 40.64 | 22.94
  Patras | Patras | Patras | Greece | greek | 38.25 | 21.73
  Tbilisi | Tbilissi | Tiflis | Georgia | georgian | 41.72 | 44.79
  Yerevan | Erevan | Jerewan | Armenia | georgian | 40.18 | 44.51
`);

export const CITIES: readonly City[] = ROWS.map(([en, fr, de, country, culture, latitude, longitude]) => ({
  name: { en, fr, de },
  country,
  culture,
  latitude: Number(latitude),
  longitude: Number(longitude),
}));
