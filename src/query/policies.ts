/** What a dialect decides about each stage of binding. */
import { type Casts, recordedCasts, strictCasts } from './bind/cast.ts';
import { explainedMessages } from './explained-messages.ts';
import type { QueryFlags } from './flags.ts';
import type { Messages } from './messages.ts';
import { recordedMessages } from './strapi/recorded-messages.ts';

export function castsOf({ casts }: QueryFlags): Casts {
  return casts === 'strict' ? strictCasts : recordedCasts;
}

export function messagesOf({ messages }: QueryFlags): Messages {
  return messages === 'explained' ? explainedMessages : recordedMessages;
}
