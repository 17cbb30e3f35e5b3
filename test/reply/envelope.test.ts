import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { writeEnvelope, writeMember } from '../../src/query/reply/envelope.ts';
import { JsonWriter } from '../../src/query/reply/json-writer.ts';

function written(write: (writer: JsonWriter) => void): string {
  const writer = new JsonWriter({ nodes: 10, bytes: 1000 });
  writer.start(new CostBudget(1000));
  write(writer);
  return writer.finish().toString();
}

test('an envelope has data and meta, which is empty by default', () => {
  const withMeta = (writer: JsonWriter) =>
    writeEnvelope(
      writer,
      () => writer.appendTextUncharged('[]'),
      () => writer.appendTextUncharged('{"a":1}'),
    );
  expect(written(withMeta)).toBe('{"data":[],"meta":{"a":1}}');
  expect(written((writer) => writeEnvelope(writer, () => writer.appendTextUncharged('[]')))).toBe(
    '{"data":[],"meta":{}}',
  );
});

test('a value is the member of an object, or stands alone without a name', () => {
  expect(written((writer) => writeMember(writer, 'roles', () => writer.appendTextUncharged('[]')))).toBe(
    '{"roles":[]}',
  );
  expect(written((writer) => writeMember(writer, null, () => writer.appendTextUncharged('[]')))).toBe('[]');
});
