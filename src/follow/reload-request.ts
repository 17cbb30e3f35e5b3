/** A request to read everything again. */
export class ReloadRequest {
  /** Whether the content is new. */
  readonly isNew: Promise<boolean>;
  resolve!: (isNew: boolean) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.isNew = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // callers need not wait for the result
    this.isNew.catch(() => {});
  }
}
