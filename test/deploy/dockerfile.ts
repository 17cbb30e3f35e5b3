import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, with continued lines joined. */
export function readDockerfile(path: string): Instruction[] {
  const text = readFileSync(path, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
      return { name, text: rest.trim() };
    });
}

/** The command of an instruction in JSON form. Other forms need a shell, which the image may lack. */
export function commandOf({ name, text }: Instruction): string[] {
  const start = text.indexOf('[');
  if (start < 0) throw new Error(`${name} is not in JSON form: ${text}`);
  return JSON.parse(text.slice(start)) as string[];
}

/** Whether a file is part of the context. The last matching pattern decides. Patterns are whole paths and `*`. */
export function inContext(patterns: readonly string[], file: string): boolean {
  let isIn = true;
  for (const pattern of patterns) {
    const path = pattern.replace(/^!/, '');
    if (path === '*' || file === path || file.startsWith(`${path}/`)) isIn = pattern.startsWith('!');
  }
  return isIn;
}
