/** An answer, ready to be sent. The body belongs to the engine and is not to be changed. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
