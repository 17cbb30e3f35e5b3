/** Servers that follow the same Strapi do not read it at the same moment. In milliseconds. */
const maxJitter = 10 * 60_000;

/** Calls a function once a day. Does not keep the process alive. */
export class DailyTimer {
  readonly #time: string;
  readonly #call: () => void;
  #timer: NodeJS.Timeout;

  /** `time` is that of the local clock, such as 03:30. A call comes up to ten minutes later. */
  constructor(time: string, call: () => void) {
    this.#time = time;
    this.#call = call;
    this.#timer = this.#start();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#call();
        this.#timer = this.#start();
      },
      untilTime(this.#time, new Date(), Math.random()),
    ).unref();
  }
}

/** Returns the milliseconds until a time such as 03:30 of the local clock, and up to ten minutes more. */
export function untilTime(time: string, now: Date, random: number): number {
  const [hours, minutes] = time.split(':').map(Number);
  const next = new Date(now);
  next.setHours(hours, minutes, 0, 0);
  if (next <= now) next.setDate(next.getDate() + 1);
  return next.getTime() - now.getTime() + Math.floor(random * maxJitter);
}
