/** Names of tables and columns are those that Strapi 5.54 gives. */
import { expect, test } from 'vitest';
import * as identifiers from '../../../src/load/database/identifiers.ts';

const long = 'thisAttributeOfAComponentHasANameThatIsAlsoMuchTooLongForAColumn';

test('names are in snake case', () => {
  expect(['line2Text', 'URLOfTicketShop', 'sealed_on', 'order'].map(identifiers.columnName)).toEqual([
    'line_2_text',
    'url_of_ticket_shop',
    'sealed_on',
    'order',
  ]);
  expect(identifiers.tableName('strange_Remarks')).toBe('strange_Remarks');
  expect(identifiers.linkTableName('strange_Remarks', 'lineOf')).toBe('strange_remarks_line_of_lnk');
  expect(identifiers.idColumnName('a-component')).toBe('a_component_id');
});

const table = 'legacy_deeds_of_the_extraordinarily_long_lived_and_verbose_notary_of_old';
const deed = 'deed-of-an-extraordinarily-long-lived-and-verbose-notary';
const shortened = identifiers.tableName(table);

// names in the database of test/load/project/archive, which Strapi made
test.each([
  [shortened, 'legacy_deeds_of_the_extraordinarily_long_lived_andce59a'],
  [identifiers.componentTableName(table), 'legacy_deeds_of_the_extraordinarily_long_livece59a_cmps'],
  [identifiers.linkTableName(shortened, 'bundle'), 'legacy_deeds_of_the_extraordinarily_lonef027_bundle_lnk'],
  [
    identifiers.linkTableName(shortened, 'witnessesWhoWerePresentAtTheSigningOfThisVeryDeed'),
    'legacy_deeds_of_the_ef027_witnesses_who_were_p227f2_lnk',
  ],
  [identifiers.idColumnName(deed), 'deed_of_an_extraordinarily_long_lived_and_verbo919aa_id'],
  [identifiers.inverseIdColumnName(deed), 'inv_deed_of_an_extraordinarily_long_lived_and_v919aa_id'],
  [identifiers.orderColumnName(deed), 'deed_of_an_extraordinarily_long_lived_and_verb919aa_ord'],
  [identifiers.inverseOrderColumnName(deed), 'inv_deed_of_an_extraordinarily_long_lived_and_919aa_ord'],
  [
    identifiers.columnName('anAttributeWhoseNameIsFarTooLongForAnyColumnOfTheDatabases'),
    'an_attribute_whose_name_is_far_too_long_for_any_co778e9',
  ],
])('%s is the name that Strapi gives', (name, recorded) => {
  expect(name).toBe(recorded);
});

test('no name has more than 55 characters', () => {
  const names = [
    identifiers.columnName(long),
    identifiers.linkTableName(long, long),
    identifiers.polymorphicTableName(long, 'a'),
    identifiers.componentTableName(long),
    identifiers.inverseIdColumnName(long),
    identifiers.inverseOrderColumnName(long),
    identifiers.typeColumnName(long),
  ];
  for (const name of names) expect(name).toHaveLength(55);
  expect(new Set(names).size).toBe(names.length);
});
