/**
 * One version of the library in a process of its own. Plain JavaScript, so that no loader of TypeScript takes time or
 * memory beside it. library-process.ts is the other side and says what each message asks for.
 */

let content;
let options;
let urls = [];

const handlers = {
  async load({ library, snapshot, settings, authorization }) {
    const { open } = await import(library);
    options = authorization ? { authorization } : {};
    globalThis.gc();
    const started = performance.now();
    const before = process.cpuUsage();
    content = await open(snapshot, settings);
    const { user } = process.cpuUsage(before);
    const milliseconds = performance.now() - started;
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    // the second collection frees what finalizers have let go
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return { userMilliseconds: user / 1000, milliseconds, liveBytes: heapUsed + external, peakBytes };
  },

  async answers() {
    const { createHash } = await import('node:crypto');
    return urls.map((url) => {
      const { status, body } = content.answer(url, options);
      return { status, bytes: body.length, digest: createHash('sha256').update(body).digest('base64') };
    });
  },

  body({ url }) {
    return content.answer(url, options).body.toString();
  },

  begin(task) {
    urls = task.urls;
    globalThis.gc();
  },

  turn({ from, calls }) {
    // every turn begins with the same garbage, which is none
    globalThis.gc();
    const started = performance.now();
    const before = process.cpuUsage();
    let bytes = 0;
    for (let i = 0, at = from % urls.length; i < calls; i++) {
      bytes += content.answer(urls[at], options).body.length;
      if (++at === urls.length) at = 0;
    }
    const { user } = process.cpuUsage(before);
    return { userMilliseconds: user / 1000, milliseconds: performance.now() - started, bytes };
  },

  /** Goes through all URLs that often and times every call. */
  times({ passes }) {
    const times = new Float64Array(urls.length * passes);
    let last = performance.now();
    for (let i = 0; i < times.length; i++) {
      content.answer(urls[i % urls.length], options);
      const now = performance.now();
      times[i] = now - last;
      last = now;
    }
    return Array.from(times);
  },
};

process.on('message', async ({ kind, task }) => {
  try {
    process.send({ answer: await handlers[kind](task) });
  } catch (error) {
    process.send({ problem: error.message });
  }
});
process.on('disconnect', () => process.exit(0));
