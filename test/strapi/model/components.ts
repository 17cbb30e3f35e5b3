import { component, componentType, media, plain, relation, type SchemaFile } from './definitions.ts';

/** The components: plain ones, some that nest others two levels deep, and those that stand in dynamic zones. */
export const components: SchemaFile[] = [
  componentType('detail.size', {
    width: plain('decimal'),
    height: plain('float'),
    unit: plain('enumeration', { enum: ['mm', 'cm', 'inch'] }),
    exact: plain('boolean'),
  }),
  componentType('detail.label', {
    heading: plain('string'),
    body: plain('richtext'),
    size: component('detail.size'),
    image: media(false),
    writer: relation('oneToOne', 'artist'),
    draftOf: plain('string', { private: true }),
  }),
  componentType('detail.sheet', {
    title: plain('string'),
    number: plain('integer'),
    signedOn: plain('date'),
    scans: media(true),
    label: component('detail.label'),
    sizes: component('detail.size', true),
    tags: relation('oneToMany', 'tag'),
    policy: relation('oneToOne', 'policy'),
  }),
  componentType('detail.honour', {
    title: plain('string'),
    year: plain('integer'),
    sum: plain('biginteger'),
    givenAt: plain('datetime'),
  }),
  componentType('zone.quote', { text: plain('text'), by: plain('string') }),
  componentType('zone.picture', {
    caption: plain('string'),
    image: media(false),
    size: component('detail.size'),
  }),
  componentType('zone.list', {
    heading: plain('string'),
    exhibits: relation('oneToMany', 'exhibit'),
    sheets: component('detail.sheet', true),
  }),
  componentType('zone.pointer', {
    text: plain('string'),
    room: relation('oneToOne', 'room'),
    artist: relation('oneToOne', 'artist'),
    policy: relation('oneToOne', 'policy'),
    images: media(true),
  }),
];
