// Written by `lectern types`: changes are lost when it is written again.
import type * as lectern from 'lectern/client';

/** Article (api::article.article, at `/articles`). Everything that is written, in print or on the web */
export interface Articles {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    body: lectern.Blocks;
    correctedAt: lectern.DateTime;
    createdAt: lectern.DateTime;
    figures: lectern.Json;
    footnote: lectern.Text;
    keywords: lectern.List;
    kind: lectern.Enumeration<'essay' | 'guide' | 'interview' | 'letter' | 'portrait' | 'report' | 'review', 'required'>;
    lead: lectern.Text;
    locale: lectern.Text<'required'>;
    premium: lectern.Flag<'required'>;
    publishedAt: lectern.DateTime<'required'>;
    publishedOn: lectern.Day;
    rating: lectern.Numeric;
    reading: lectern.Numeric<'required'>;
    slug: lectern.Text<'required'>;
    title: lectern.Text<'required'>;
    updatedAt: lectern.DateTime;
    views: lectern.BigInteger;
  };
  links: {
    author: lectern.One<Authors, 'count'>;
    bookmarks: lectern.Many<Bookmarks, 'wrap'>;
    categories: lectern.Many<Categories, 'count' | 'wrap'>;
    credits: lectern.Many<SharedCredit, 'count'>;
    issue: lectern.One<Issues, 'count'>;
    localizations: lectern.Many<Articles, 'wrap'>;
    places: lectern.Many<Places, 'count' | 'wrap'>;
    related: lectern.Many<Articles, 'count' | 'wrap'>;
    seo: lectern.One<SharedSeo, 'count'>;
    translator: lectern.One<Authors, 'count'>;
  };
  unfiltered: {
    cover: lectern.One<UploadFiles>;
    gallery: lectern.Many<UploadFiles>;
    parts: lectern.Zone<{
      'block.embed': BlockEmbed;
      'block.fact-box': BlockFactBox;
      'block.gallery': BlockGallery;
      'block.note': BlockNote;
      'block.picture': BlockPicture;
      'block.places': BlockPlaces;
      'block.quote': BlockQuote;
      'block.recommendation': BlockRecommendation;
    }>;
  };
}

/** Author (api::author.author, at `/authors`) */
export interface Authors {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    bio: lectern.Text;
    born: lectern.Day;
    createdAt: lectern.DateTime;
    email: lectern.Text;
    joinedAt: lectern.DateTime;
    languages: lectern.Json;
    motto: lectern.Text;
    name: lectern.Text<'required'>;
    onStaff: lectern.Flag;
    publishedAt: lectern.DateTime;
    slug: lectern.Text<'required'>;
    stars: lectern.Numeric;
    updatedAt: lectern.DateTime;
  };
  links: {
    account: lectern.One<UsersPermissionsUsers, 'count'>;
    articles: lectern.Many<Articles, 'count' | 'wrap'>;
    leads: lectern.One<Teams, 'count'>;
    links: lectern.Many<SharedLink, 'count'>;
    mentor: lectern.One<Authors, 'count'>;
    shelves: lectern.Many<Bookmarks, 'wrap'>;
    team: lectern.One<Teams, 'count'>;
  };
  unfiltered: {
    portrait: lectern.One<UploadFiles>;
  };
}

/** Bookmark (api::bookmark.bookmark, at `/bookmarks`) */
export interface Bookmarks {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    createdAt: lectern.DateTime;
    label: lectern.Text<'required'>;
    note: lectern.Text;
    pinned: lectern.Flag;
    publishedAt: lectern.DateTime;
    remindAt: lectern.DateTime;
    updatedAt: lectern.DateTime;
  };
  links: {
    owner: lectern.One<UsersPermissionsUsers, 'count'>;
  };
  unfiltered: {
    shelf: lectern.ManyOfAny<TypesByUid>;
    target: lectern.OneOfAny<TypesByUid>;
  };
}

/** Category (api::category.category, at `/categories`) */
export interface Categories {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    colour: lectern.Text;
    createdAt: lectern.DateTime;
    description: lectern.Text;
    name: lectern.Text<'required'>;
    publishedAt: lectern.DateTime;
    rank: lectern.Numeric;
    slug: lectern.Text<'required'>;
    updatedAt: lectern.DateTime;
  };
  links: {
    articles: lectern.Many<Articles, 'count' | 'wrap'>;
    children: lectern.Many<Categories, 'count' | 'wrap'>;
    parent: lectern.One<Categories, 'count'>;
  };
  unfiltered: {
    icon: lectern.One<UploadFiles>;
  };
}

/** Homepage (api::homepage.homepage, at `/homepage`) */
export interface Homepage {
  kind: 'singleType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    createdAt: lectern.DateTime;
    heading: lectern.Text<'required'>;
    locale: lectern.Text<'required'>;
    publishedAt: lectern.DateTime<'required'>;
    tagline: lectern.Text;
    updatedAt: lectern.DateTime;
  };
  links: {
    featured: lectern.Many<Articles, 'count' | 'wrap'>;
    localizations: lectern.Many<Homepage, 'wrap'>;
    seo: lectern.One<SharedSeo, 'count'>;
  };
  unfiltered: {
    banner: lectern.One<UploadFiles>;
    sections: lectern.Zone<{
      'block.call-to-action': BlockCallToAction;
      'block.category-strip': BlockCategoryStrip;
      'block.hero': BlockHero;
      'block.quote': BlockQuote;
      'block.recommendation': BlockRecommendation;
    }>;
  };
}

/** Invoice (api::invoice.invoice, at `/invoices`) */
export interface Invoices {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    amount: lectern.Numeric<'required'>;
    archiveNumber: lectern.BigInteger;
    createdAt: lectern.DateTime;
    currency: lectern.Enumeration<'EUR' | 'JPY' | 'PLN', 'required'>;
    dueAt: lectern.DateTime;
    issuedOn: lectern.Day<'required'>;
    number: lectern.Text<'required'>;
    paid: lectern.Flag;
    publishedAt: lectern.DateTime;
    remark: lectern.Text;
    updatedAt: lectern.DateTime;
  };
  links: {
    lines: lectern.Many<LedgerLine, 'count'>;
    recipient: lectern.One<Authors, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Issue (api::issue.issue, at `/issues`). A printed issue */
export interface Issues {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    barcode: lectern.BigInteger;
    createdAt: lectern.DateTime;
    editorial: lectern.Blocks;
    number: lectern.Numeric<'required'>;
    pages: lectern.Numeric;
    price: lectern.Numeric;
    printedAt: lectern.BigInteger;
    publishedAt: lectern.DateTime;
    publishedOn: lectern.Day<'required'>;
    season: lectern.Enumeration<'autumn' | 'spring' | 'summer' | 'winter', 'required'>;
    soldOut: lectern.Flag;
    theme: lectern.Text;
    title: lectern.Text<'required'>;
    updatedAt: lectern.DateTime;
    weight: lectern.Numeric;
  };
  links: {
    articles: lectern.Many<Articles, 'count' | 'wrap'>;
    coverStory: lectern.One<Articles, 'count'>;
    editor: lectern.One<Authors, 'count'>;
    places: lectern.Many<Places, 'count' | 'wrap'>;
  };
  unfiltered: {
    cover: lectern.One<UploadFiles>;
  };
}

/** Place (api::place.place, at `/places`). An entry of the guide */
export interface Places {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    averageBill: lectern.Numeric;
    city: lectern.Text<'required'>;
    country: lectern.Text;
    createdAt: lectern.DateTime;
    description: lectern.Text;
    dishes: lectern.List;
    inspectedAt: lectern.DateTime;
    kind: lectern.Enumeration<'bakery' | 'bar' | 'cafe' | 'guesthouse' | 'market' | 'restaurant', 'required'>;
    lastOrders: lectern.Time;
    name: lectern.Text<'required'>;
    opened: lectern.Day;
    priceRange: lectern.Enumeration<'cheap' | 'expensive' | 'extravagant' | 'moderate'>;
    publishedAt: lectern.DateTime<'required'>;
    seats: lectern.Numeric;
    slug: lectern.Text<'required'>;
    updatedAt: lectern.DateTime;
    vegetarian: lectern.Flag;
  };
  links: {
    bookmark: lectern.One<Bookmarks>;
    critic: lectern.One<Authors, 'count'>;
    geo: lectern.One<PlaceGeo, 'count'>;
    hours: lectern.Many<PlaceOpeningHours, 'count'>;
    nearby: lectern.Many<Places, 'count' | 'wrap'>;
  };
  unfiltered: {
    cover: lectern.One<UploadFiles>;
    photos: lectern.Many<UploadFiles>;
  };
}

/** Team (api::team.team, at `/teams`) */
export interface Teams {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    chant: lectern.Text;
    city: lectern.Text;
    createdAt: lectern.DateTime;
    founded: lectern.Day;
    league: lectern.Text<'required'>;
    name: lectern.Text<'required'>;
    points: lectern.Numeric;
    publishedAt: lectern.DateTime;
    slug: lectern.Text<'required'>;
    updatedAt: lectern.DateTime;
  };
  links: {
    lead: lectern.One<Authors, 'count'>;
    members: lectern.Many<Authors, 'count' | 'wrap'>;
  };
  unfiltered: {
    badge: lectern.One<UploadFiles>;
  };
}

/** Call to action (block.call-to-action) */
export interface BlockCallToAction {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    heading: lectern.Text<'required'>;
    until: lectern.DateTime;
  };
  links: {
    link: lectern.One<SharedLink, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Category strip (block.category-strip) */
export interface BlockCategoryStrip {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    limit: lectern.Numeric;
  };
  links: {
    category: lectern.One<Categories, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Embedded media (block.embed) */
export interface BlockEmbed {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    code: lectern.Text<'required'>;
    options: lectern.Json;
    provider: lectern.Enumeration<'map' | 'sound' | 'video', 'required'>;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Fact (block.fact) */
export interface BlockFact {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    label: lectern.Text<'required'>;
    value: lectern.Text;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Fact box (block.fact-box) */
export interface BlockFactBox {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    heading: lectern.Text;
  };
  links: {
    facts: lectern.Many<BlockFact, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Gallery (block.gallery) */
export interface BlockGallery {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    title: lectern.Text;
  };
  links: Record<never, never>;
  unfiltered: {
    images: lectern.Many<UploadFiles>;
  };
}

/** Hero (block.hero) */
export interface BlockHero {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    heading: lectern.Text<'required'>;
  };
  links: {
    article: lectern.One<Articles, 'count'>;
  };
  unfiltered: {
    background: lectern.One<UploadFiles>;
  };
}

/** Note (block.note) */
export interface BlockNote {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    body: lectern.Text;
    signed: lectern.Text;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Picture (block.picture) */
export interface BlockPicture {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    caption: lectern.Text;
    width: lectern.Enumeration<'column' | 'full' | 'wide'>;
  };
  links: Record<never, never>;
  unfiltered: {
    image: lectern.One<UploadFiles>;
  };
}

/** Places (block.places) */
export interface BlockPlaces {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    heading: lectern.Text;
  };
  links: {
    places: lectern.Many<Places, 'count' | 'wrap'>;
  };
  unfiltered: Record<never, never>;
}

/** Quotation (block.quote) */
export interface BlockQuote {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    attribution: lectern.Text;
    text: lectern.Text<'required'>;
  };
  links: {
    person: lectern.One<Authors, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Recommendation (block.recommendation) */
export interface BlockRecommendation {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    heading: lectern.Text;
  };
  links: {
    articles: lectern.Many<Articles, 'count' | 'wrap'>;
  };
  unfiltered: Record<never, never>;
}

/** Invoice line (ledger.line) */
export interface LedgerLine {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    description: lectern.Text<'required'>;
    price: lectern.Numeric;
    quantity: lectern.Numeric<'required'>;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Position (place.geo) */
export interface PlaceGeo {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    elevation: lectern.Numeric;
    latitude: lectern.Numeric<'required'>;
    longitude: lectern.Numeric<'required'>;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Opening hours (place.opening-hours) */
export interface PlaceOpeningHours {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    closes: lectern.Time;
    note: lectern.Text;
    opens: lectern.Time<'required'>;
    weekday: lectern.Enumeration<'friday' | 'monday' | 'saturday' | 'sunday' | 'thursday' | 'tuesday' | 'wednesday', 'required'>;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** locale (plugin::i18n.locale, at `/i18n/locales`) */
export interface I18nLocales {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    code: lectern.Text;
    createdAt: lectern.DateTime;
    name: lectern.Text;
    publishedAt: lectern.DateTime;
    updatedAt: lectern.DateTime;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** file (plugin::upload.file, at `/upload/files`) */
export interface UploadFiles {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    alternativeText: lectern.Text;
    caption: lectern.Text;
    createdAt: lectern.DateTime;
    ext: lectern.Text;
    focalPoint: lectern.Json;
    formats: lectern.Json;
    hash: lectern.Text;
    height: lectern.Numeric;
    mime: lectern.Text;
    name: lectern.Text;
    previewUrl: lectern.Text;
    provider: lectern.Text;
    provider_metadata: lectern.Json;
    publishedAt: lectern.DateTime;
    size: lectern.Numeric;
    updatedAt: lectern.DateTime;
    url: lectern.Text;
    width: lectern.Numeric;
  };
  links: Record<never, never>;
  unfiltered: {
    related: lectern.ManyOfAny<TypesByUid>;
  };
}

/** role (plugin::users-permissions.role, at `/users-permissions/roles`) */
export interface UsersPermissionsRoles {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    createdAt: lectern.DateTime;
    description: lectern.Text;
    name: lectern.Text;
    publishedAt: lectern.DateTime;
    type: lectern.Text;
    updatedAt: lectern.DateTime;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** user (plugin::users-permissions.user, at `/users`) */
export interface UsersPermissionsUsers {
  kind: 'collectionType';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    documentId: lectern.Text<'always'>;
    blocked: lectern.Flag;
    confirmed: lectern.Flag;
    createdAt: lectern.DateTime;
    email: lectern.Text;
    newsletter: lectern.Flag;
    provider: lectern.Text;
    publishedAt: lectern.DateTime;
    updatedAt: lectern.DateTime;
    username: lectern.Text;
  };
  links: {
    author: lectern.One<Authors, 'count'>;
    bookmarks: lectern.Many<Bookmarks, 'count' | 'wrap'>;
    favourites: lectern.Many<Categories, 'count' | 'wrap'>;
    role: lectern.One<UsersPermissionsRoles, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Credit (shared.credit) */
export interface SharedCredit {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    note: lectern.Text;
    role: lectern.Enumeration<'drawings' | 'fact-checking' | 'pictures' | 'research' | 'words', 'required'>;
  };
  links: {
    person: lectern.One<Authors, 'count'>;
  };
  unfiltered: Record<never, never>;
}

/** Link (shared.link) */
export interface SharedLink {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    external: lectern.Flag;
    label: lectern.Text<'required'>;
    url: lectern.Text<'required'>;
  };
  links: Record<never, never>;
  unfiltered: Record<never, never>;
}

/** Search engines (shared.seo) */
export interface SharedSeo {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    metaDescription: lectern.Text;
    metaTitle: lectern.Text<'required'>;
    noIndex: lectern.Flag;
  };
  links: {
    social: lectern.Many<SharedSocial, 'count'>;
  };
  unfiltered: {
    shareImage: lectern.One<UploadFiles>;
  };
}

/** Social network (shared.social) */
export interface SharedSocial {
  kind: 'component';
  locale: 'de' | 'en' | 'fr';
  status: 'draft' | 'published';
  scalars: {
    id: lectern.Numeric<'always'>;
    network: lectern.Enumeration<'bluesky' | 'mastodon', 'required'>;
    title: lectern.Text;
  };
  links: Record<never, never>;
  unfiltered: {
    image: lectern.One<UploadFiles>;
  };
}

/** Content types by the name of their route. */
export interface Schema {
  articles: Articles;
  authors: Authors;
  bookmarks: Bookmarks;
  categories: Categories;
  homepage: Homepage;
  'i18n/locales': I18nLocales;
  invoices: Invoices;
  issues: Issues;
  places: Places;
  teams: Teams;
  'upload/files': UploadFiles;
  users: UsersPermissionsUsers;
  'users-permissions/roles': UsersPermissionsRoles;
}

/** Content types by their uid, for relations that lead to any of them. */
export interface TypesByUid {
  'api::article.article': Articles;
  'api::author.author': Authors;
  'api::bookmark.bookmark': Bookmarks;
  'api::category.category': Categories;
  'api::homepage.homepage': Homepage;
  'api::invoice.invoice': Invoices;
  'api::issue.issue': Issues;
  'api::place.place': Places;
  'api::team.team': Teams;
  'plugin::i18n.locale': I18nLocales;
  'plugin::upload.file': UploadFiles;
  'plugin::users-permissions.role': UsersPermissionsRoles;
  'plugin::users-permissions.user': UsersPermissionsUsers;
}
