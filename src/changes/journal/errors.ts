/** Errors of the journal that an operator sees. Misuse by the caller throws a plain Error instead. */

/**
 * The journal cannot be opened, or has failed. After a failed write, sync or truncation it accepts no more transactions
 * until it is opened again.
 */
export class JournalError extends Error {
  override readonly name: string = 'JournalError';
  /** Whether transactions that were not acknowledged may be there when the journal is opened again. */
  readonly mayBeKept: boolean;

  constructor(message: string, { cause, mayBeKept = false }: { cause?: Error; mayBeKept?: boolean } = {}) {
    super(message, { cause });
    this.mayBeKept = mayBeKept;
  }
}

/** The disk is full or a quota is used up. Nothing of the append is kept. A later append may succeed. */
export class JournalFull extends JournalError {
  override readonly name = 'JournalFull';
}

/** The file holds bytes that no interrupted write explains. `offset` counts bytes from its start. */
export class JournalDamaged extends JournalError {
  override readonly name = 'JournalDamaged';
  readonly offset: number;

  constructor(path: string, offset: number, what: string) {
    super(`the journal ${path} is damaged at byte ${offset}: ${what}`);
    this.offset = offset;
  }
}

/** Whether a system error says that there is no room left. */
export function isOutOfSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '');
}
