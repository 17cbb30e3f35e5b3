/** A site of docs/renewing-pages.md in a folder of its own, with its framework and the packed adapters. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageAt, project } from '../documents/pages.ts';
import { type Running, run, start } from '../strapi/processes.ts';

/** Returns the files below a heading of the page, by path. Each follows a line with its path. */
export function recipe(heading: string): Map<string, string> {
  const { text } = pageAt('docs/renewing-pages.md');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!;
  const files = section.matchAll(/^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map(Array.from(files, ([, path, code]) => [path, code]));
}

export class Site {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Installs the framework unless it is there, and writes the files of a recipe. The package has none of its
   * dependencies here, because adapters use none.
   */
  async prepare(framework: string, files: ReadonlyMap<string, string>, built: readonly string[]): Promise<void> {
    const wanted = readFileSync(new URL(`${framework}/package.json`, import.meta.url), 'utf8');
    const mark = join(this.folder, 'node_modules', '.installed');
    mkdirSync(this.folder, { recursive: true });
    if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
      console.log(`${framework}: installing`);
      writeFileSync(join(this.folder, 'package.json'), wanted);
      for (const name of ['node_modules', 'package-lock.json'])
        rmSync(join(this.folder, name), { recursive: true, force: true });
      await this.run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund');
      writeFileSync(mark, wanted);
    }
    for (const name of built) rmSync(join(this.folder, name), { recursive: true, force: true });
    for (const [path, code] of files) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), code);
    }
    const installed = join(this.folder, 'node_modules/lectern');
    rmSync(installed, { recursive: true, force: true });
    for (const name of ['package.json', 'dist'])
      cpSync(join(project, name), join(installed, name), { recursive: true });
  }

  /** Runs a command to its end. */
  run(program: string, ...args: string[]): Promise<void> {
    return run(this.#command(program, args));
  }

  /** Runs a script of a package with an environment. */
  build(script: string, args: string[], environment: Record<string, string>): Promise<void> {
    return run(this.#command(process.execPath, [join('node_modules', script), ...args], environment));
  }

  /** Starts a script that stays up, and waits until its address answers. */
  async start(address: string, script: string, args: string[], environment: Record<string, string>): Promise<Running> {
    const running = start(this.#command(process.execPath, [script, ...args], environment));
    await running.ready(async () => (await fetch(address)).status < 500);
    return running;
  }

  #command(program: string, args: string[], environment?: Record<string, string>) {
    const name = (args.find((arg) => !arg.startsWith('-') && !arg.includes('/')) ?? 'start').replaceAll(/\W/g, '');
    return { program, args, cwd: this.folder, log: join(this.folder, `${name}.log`), environment };
  }
}
