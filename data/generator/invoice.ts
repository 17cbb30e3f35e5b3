/** Invoices: a type that the public may not read. */
import { type ContentType, SCHEMAS } from './content-type.ts';
import { DAY, day, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { anyAuthor } from './world.ts';

export const invoice: ContentType = {
  singularName: 'invoice',
  definition: {
    $schema: `${SCHEMAS}content-type.schema.json`,
    kind: 'collectionType',
    info: { singularName: 'invoice', pluralName: 'invoices', displayName: 'Invoice' },
    options: { draftAndPublish: false },
    attributes: {
      number: { type: 'string', required: true, unique: true },
      archiveNumber: { type: 'biginteger' },
      issuedOn: { type: 'date', required: true },
      dueAt: { type: 'datetime' },
      amount: { type: 'decimal', required: true },
      currency: { type: 'enumeration', enum: ['EUR', 'PLN', 'JPY'], required: true },
      paid: { type: 'boolean' },
      remark: { type: 'text' },
      account: { type: 'string', private: true },
      recipient: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      lines: { type: 'component', component: 'ledger.line', repeatable: true },
    },
  },
  *entries(world) {
    for (let index = 0; index < world.plan.invoices; index++) {
      const random = new Random(world.seed, 'invoice', index);
      const issued = LAST_DAY - (world.plan.invoices - index) * 9 * DAY;
      const lines = index === 7 ? [] : [line(random, 'Essay, 1,800 words'), line(random, 'Night train, second class')];
      if (index % 4 === 1) lines.push({ description: 'Tea, unlimited ☕️', quantity: 1, price: null });
      yield {
        id: index + 1,
        documentId: `invoice-${index + 1}`,
        createdAt: iso(issued),
        updatedAt: iso(issued + random.integer(0, 5) * DAY),
        publishedAt: iso(issued),
        number: `LQ-2026-${String(index + 1).padStart(3, '0')}`,
        // past 2^53, where a double can no longer tell neighbours apart
        archiveNumber: index % 6 === 5 ? null : String(9_007_199_254_740_993n + BigInt(index)),
        issuedOn: day(issued),
        dueAt: index % 5 === 4 ? null : iso(issued + 30 * DAY),
        amount: lines.reduce((sum, { quantity, price }) => sum + quantity * (price ?? 0), 0),
        currency: random.pick(['EUR', 'PLN', 'JPY']),
        paid: index === 11 ? null : index < 8,
        remark: index % 3 === 0 ? 'Paid in part with a crate of "second-best" pears.' : null,
        account: index === 2 ? null : `XX00 LANT ${random.integer(1000, 9999)}`,
        recipient: index === 3 ? null : anyAuthor(world, random),
        lines,
      };
    }
  },
};

function line(random: Random, description: string): { description: string; quantity: number; price: number | null } {
  return { description, quantity: random.integer(1, 3), price: random.integer(40, 600) + 0.5 };
}
