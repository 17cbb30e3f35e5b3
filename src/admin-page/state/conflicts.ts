import type { ApiError } from '../../explorer/reply/api-error.ts';
import type { Conflict } from './replies.ts';

/** Which side of a conflict counts. */
export type Side = 'base' | 'preview';

/** A conflict with the side that counts, as `rebase` takes it. */
export interface Resolution {
  readonly type: string;
  readonly documentId: string | null;
  readonly locale?: string;
  readonly status?: string;
  readonly attribute?: string;
  readonly take: Side;
}

/** Returns the conflicts that an error lists. Empty if it is about something else. */
export function conflictsOf({ details }: ApiError): readonly Conflict[] {
  return Array.isArray(details.conflicts) ? details.conflicts : [];
}

/** Returns whether an error says that the base keeps no journal. */
export function lacksJournal({ details }: ApiError): boolean {
  return details.setting === 'journal';
}

/** Only a conflict of values can be won by the preview: of what is gone from the base, nothing can be changed. */
export function sidesOf({ kind }: Conflict): readonly Side[] {
  return kind === 'changed' ? ['base', 'preview'] : ['base'];
}

export function resolutionOf({ type, documentId, locale, status, attribute }: Conflict, take: Side): Resolution {
  return {
    type,
    documentId,
    ...(locale !== null && { locale }),
    ...(status !== null && { status }),
    ...(attribute !== null && { attribute }),
    take,
  };
}
