/** The JSON around the entries of a reply. */
import type { JsonWriter } from './json-writer.ts';

const openData = Buffer.from('{"data":');
const openMeta = Buffer.from(',"meta":');
const emptyMeta = Buffer.from('{}');
const closeEnvelope = Buffer.from('}');

/** Writes `{"data":…,"meta":…}`. Without `writeMeta` the meta is an empty object. */
export function writeEnvelope(writer: JsonWriter, writeData: () => void, writeMeta?: () => void): void {
  writer.append(openData);
  writeData();
  writer.append(openMeta);
  if (writeMeta) writeMeta();
  else writer.append(emptyMeta);
  writer.append(closeEnvelope);
}

/** Writes a value as the only member of an object, or without a name as it is. */
export function writeMember(writer: JsonWriter, name: string | null, writeValue: () => void): void {
  if (name === null) return writeValue();
  writer.appendTextUncharged(`{"${name}":`);
  writeValue();
  writer.append(closeEnvelope);
}
