/** What a dialect decides about each stage of binding. */
import type { Dialect } from '../base/dialect.ts';
import { type Casts, recordedCasts, strictCasts } from './bind/cast.ts';
import { explainedMessages } from './explained-messages.ts';
import type { Messages } from './messages.ts';
import { recordedMessages } from './strapi/recorded-messages.ts';

export function castsOf({ casts }: Dialect): Casts {
  return casts === 'strict' ? strictCasts : recordedCasts;
}

export function messagesOf({ messages }: Dialect): Messages {
  return messages === 'explained' ? explainedMessages : recordedMessages;
}
