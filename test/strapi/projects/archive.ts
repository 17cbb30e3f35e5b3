/** The content model "archive": names that Strapi shortens, tables with names of their own, and unusual values. */
import {
  type AttributeDefinition,
  type Attributes,
  component,
  componentType,
  contentType,
  localized,
  type Model,
  media,
  morph,
  plain,
  relation,
  type SchemaFile,
  type TypeOptions,
  zone,
} from '../model/definitions.ts';

const hidden = (attribute: AttributeDefinition): AttributeDefinition => ({ ...attribute, private: true });

/** A content type whose table is not called by its plural name. */
function inTable(collectionName: string, name: string, options: TypeOptions, attributes: Attributes): SchemaFile {
  const { path, schema } = contentType(name, options, attributes);
  return { path, schema: { ...schema, collectionName } };
}

const deed = 'deed-of-an-extraordinarily-long-lived-and-verbose-notary';
const bundle = 'bundle';
const person = 'person';

const contentTypes: SchemaFile[] = [
  inTable(
    'legacy_deeds_of_the_extraordinarily_long_lived_and_verbose_notary_of_old',
    deed,
    { plural: `${deed}-plural`, draftAndPublish: true, localized: true },
    {
      line2Text: localized(plain('string')),
      URLOfTicketShop: plain('string'),
      price_inEUR: plain('decimal'),
      anAttributeWhoseNameIsFarTooLongForAnyColumnOfTheDatabase: plain('text'),
      anAttributeWhoseNameIsFarTooLongForAnyColumnOfTheDatabases: plain('richtext'),
      order: plain('integer'),
      group: plain('biginteger'),
      select: plain('boolean'),
      rawJSON: localized(plain('json')),
      sealedAt: plain('datetime'),
      sealed_on: plain('date'),
      bellsRingAt: plain('time'),
      lastSeen: plain('timestamp'),
      secretOfTheNotary: hidden(plain('string')),
      pass: plain('password'),
      witnessesWhoWerePresentAtTheSigningOfThisVeryDeed: relation('manyToMany', person, {
        inversedBy: 'deedsThatThisPersonHasWitnessedInTheCourseOfLife',
      }),
      replacedByTheFollowingDeedsInTheOrderOfTheirSigning: relation('manyToMany', deed, {
        inversedBy: 'replacesTheFollowingDeedsInTheOrderOfTheirSigning',
      }),
      replacesTheFollowingDeedsInTheOrderOfTheirSigning: relation('manyToMany', deed, {
        mappedBy: 'replacedByTheFollowingDeedsInTheOrderOfTheirSigning',
      }),
      bundle: relation('manyToOne', bundle, { inversedBy: 'deeds' }),
      signer: relation('oneToOne', person, { inversedBy: 'signed' }),
      secretWitness: hidden(relation('oneToOne', person)),
      attachments: localized(media(true)),
      hiddenScan: hidden(media(false)),
      clausesOfTheDeedWithAllTheirSubordinateClauses: localized(component('clauses.main', true)),
      hiddenClause: hidden(component('clauses.leaf')),
      body: localized(
        zone('clauses.main', 'clauses.leaf', 'clauses.a-component-whose-name-is-also-too-long-for-a-table'),
      ),
    },
  ),
  inTable(
    'bndl',
    bundle,
    { plural: 'bundles' },
    {
      shelfMark: plain('uid'),
      deeds: relation('oneToMany', deed, { mappedBy: 'bundle' }),
      inside: relation('manyToOne', bundle, { inversedBy: 'holds' }),
      holds: relation('oneToMany', bundle, { mappedBy: 'inside' }),
      twin: relation('oneToOne', bundle, { inversedBy: 'twinOf' }),
      twinOf: relation('oneToOne', bundle, { mappedBy: 'twin' }),
      loose: relation('oneToMany', deed),
      cover: media(false),
      label: component('clauses.leaf'),
      remarks: relation('morphMany', 'remark', { morphBy: 'subjectsOfThisRemark' }),
    },
  ),
  contentType(
    person,
    { plural: 'people', draftAndPublish: true, privateAttributes: ['updatedAt'] },
    {
      name: plain('string'),
      height: plain('float'),
      mail: plain('email'),
      kind: plain('enumeration', { enum: ['notary', 'witness', 'Ärztin'] }),
      deedsThatThisPersonHasWitnessedInTheCourseOfLife: relation('manyToMany', deed, {
        mappedBy: 'witnessesWhoWerePresentAtTheSigningOfThisVeryDeed',
      }),
      signed: relation('oneToOne', deed, { mappedBy: 'signer' }),
      account: relation('oneToOne', 'plugin::users-permissions.user'),
      mention: relation('morphOne', 'remark', { morphBy: 'subject' }),
    },
  ),
  inTable(
    'strange_Remarks',
    'remark',
    { plural: 'remarks', localized: true },
    {
      text: localized(plain('text')),
      subject: morph('morphToOne'),
      subjectsOfThisRemark: morph('morphToMany'),
    },
  ),
  contentType(
    'frontispiece',
    { plural: 'frontispieces', single: true, draftAndPublish: true, localized: true },
    { motto: localized(plain('string')), first: relation('manyToOne', deed), marks: component('clauses.leaf', true) },
  ),
];

const components: SchemaFile[] = [
  componentType('clauses.leaf', {
    text: plain('string'),
    amount: plain('decimal'),
    hidden: hidden(plain('string')),
    picture: media(false),
    pictures: media(true),
  }),
  componentType('clauses.middle', {
    leaf: component('clauses.leaf'),
    leaves: component('clauses.leaf', true),
    people: relation('oneToMany', person),
  }),
  componentType('clauses.main', {
    heading: plain('string'),
    parts: component('clauses.middle', true),
    owner: relation('oneToOne', bundle),
    twins: relation('manyToMany', deed),
  }),
  componentType('clauses.a-component-whose-name-is-also-too-long-for-a-table', {
    thisAttributeOfAComponentHasANameThatIsAlsoMuchTooLong: component('clauses.middle'),
    when: plain('datetime'),
  }),
];

export const archive: Model = { contentTypes, components };
