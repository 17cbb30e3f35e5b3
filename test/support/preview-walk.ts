/** The first part of docs/previews.md, run as a reader does: block by block, in one shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { freePort } from './cli.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The ports that the page uses: of Strapi, Lectern, its admin port, and the site. */
const ports = ['1337', '1338', '1339', '3000'] as const;

interface Block {
  readonly language: string;
  readonly text: string;
}

/** What a block of commands printed, and what the page says that it prints. */
export interface Printed {
  readonly lines: readonly string[];
  readonly expected: readonly string[] | null;
}

/** The function of a `config/admin` file that Strapi calls. */
export type PreviewHandler = (
  uid: string,
  entry: { documentId: string; locale?: string; status?: string },
) => Promise<string | null>;

export class PreviewWalk {
  readonly #folder: string;
  readonly #shell: ChildProcess;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #steps: readonly (readonly Block[])[];
  readonly #replaced: Record<string, string>;
  readonly #output = new EventEmitter();
  #isClosed = false;
  #stdout = '';
  #stderr = '';
  #count = 0;

  private constructor(folder: string, used: ReadonlyMap<string, number>, replaced: Record<string, string>) {
    this.#folder = folder;
    this.#replaced = replaced;
    this.#ports = used;
    this.#steps = readSteps();
    // a group of its own, so that all programs that the page starts can be ended
    this.#shell = spawn('bash', ['-e'], { cwd: folder, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#shell.stdout!.on('data', (text) => {
      this.#stdout += text;
      this.#output.emit('more');
    });
    this.#shell.stderr!.on('data', (text) => (this.#stderr += text));
    this.#shell.once('exit', () => {
      this.#isClosed = true;
      this.#output.emit('more');
    });
    mkdirSync(join(folder, 'blocks'));
  }

  /** Begins in an empty folder, with free ports in the place of those of the page. `replaced` are texts of commands. */
  static async begin(folder: string, replaced: Record<string, string> = {}): Promise<PreviewWalk> {
    const used = new Map<string, number>();
    for (const port of ports) used.set(port, await freePort());
    return new PreviewWalk(folder, used, replaced);
  }

  /** The folder that the page works in. */
  get folder(): string {
    return join(this.#folder, 'previews');
  }

  /** Replaces the ports of the page. */
  adapt(text: string): string {
    return text.replaceAll(/\b(1337|1338|1339|3000)\b/g, (port) => String(this.#ports.get(port)));
  }

  /** Runs the commands of a step, without the blocks that contain one of the texts. Throws if a command fails. */
  async run(step: number, without: readonly string[] = []): Promise<Printed[]> {
    const blocks = this.#steps[step - 1];
    const printed: Printed[] = [];
    for (const [i, { language, text }] of blocks.entries()) {
      if (language !== 'sh' || without.some((part) => text.includes(part))) continue;
      const next = blocks.at(i + 1);
      const isOutput = next?.language === 'json' || next?.language === 'html';
      const lines = await this.#execute(this.#commandsOf(text));
      printed.push({ lines, expected: isOutput ? linesOf(next.text) : null });
    }
    return printed;
  }

  /** The file `config/admin` of a Strapi project, in TypeScript or JavaScript. */
  file(language: 'ts' | 'js'): string {
    return this.#steps[5].find((block) => block.language === language)!.text;
  }

  /** The handlers of `config/admin.ts` and `config/admin.js`, with the environment and the `strapi` given. */
  async handlers(environment: Record<string, string>, strapi: object): Promise<PreviewHandler[]> {
    const languages = ['ts', 'js'] as const;
    return Promise.all(languages.map((language) => handlerOf(this.file(language), language, environment, strapi)));
  }

  /** Ends all programs that the page has started. */
  async end(): Promise<void> {
    try {
      process.kill(-this.#shell.pid!, 'SIGKILL');
    } catch {
      // none is left
    }
    while (!this.#isClosed) await once(this.#output, 'more');
  }

  /** In place of a clone that is built, the commands use this one. The site gets its port from the environment. */
  #commandsOf(text: string): string {
    const replaced = Object.entries(this.#replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    return this.adapt(replaced)
      .replace(/^git clone .*\n.*npm ci\)$/m, `ln -s '${project}' lectern`)
      .replace('npm --prefix site start', `PORT=${this.#ports.get('3000')} $&`);
  }

  async #execute(commands: string): Promise<string[]> {
    const count = ++this.#count;
    const file = join(this.#folder, 'blocks', `${count}.sh`);
    writeFileSync(file, commands);
    const mark = `end of block ${count}`;
    const before = this.#stdout.length;
    this.#shell.stdin!.write(`. '${file}' < /dev/null\nprintf '\\n%s\\n' '${mark}'\n`);
    while (!this.#stdout.includes(`${mark}\n`)) {
      if (this.#isClosed) throw new Error(`This failed:\n${commands}\n${this.#stderr}`);
      await once(this.#output, 'more');
    }
    return linesOf(this.#stdout.slice(before, this.#stdout.indexOf(mark)));
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readSteps(): Block[][] {
  const text = readFileSync(join(project, 'docs/previews.md'), 'utf8');
  const [, part] = /^## From an empty folder to the button\n([\s\S]*?)^## /m.exec(text)!;
  const steps = part.split(/^### \d\. .*\n/m).slice(1);
  return steps.map((step) =>
    Array.from(step.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm), ([, language, block]) => ({ language, text: block })),
  );
}

async function handlerOf(
  text: string,
  loader: 'ts' | 'js',
  environment: Record<string, string>,
  strapi: object,
): Promise<PreviewHandler> {
  const { code } = await transform(text, { loader, format: 'cjs' });
  const module = { exports: {} as Record<string, unknown> };
  new Function('module', 'exports', 'strapi', code)(module, module.exports, strapi);
  const config = (module.exports.default ?? module.exports) as (context: object) => {
    preview: { enabled: boolean; config: { allowedOrigins: string[]; handler: PreviewHandler } };
  };
  const env = Object.assign((name: string) => environment[name], {
    bool: (_: string, otherwise: boolean) => otherwise,
  });
  const { preview } = config({ env });
  if (!preview.enabled || preview.config.allowedOrigins[0] !== environment.SITE_URL) {
    throw new Error(`Strapi would not show the site: ${JSON.stringify(preview)}`);
  }
  return preview.config.handler;
}
