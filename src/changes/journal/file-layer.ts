import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { WritableFile, WritingFiles } from '../../core/write-file.ts';
import { JournalError } from './errors.ts';

/** What a journal uses of the file system: functions of `node:fs/promises`, and a lock. Tests simulate it. */
export interface FileLayer extends WritingFiles {
  open(path: string, flags: string): Promise<JournalFile>;
  readdir(path: string): Promise<string[]>;
  /** Locks a file against other processes and returns a function that unlocks it. Rejects if it is locked. */
  lock(path: string): Promise<() => Promise<void>>;
}

export interface JournalFile extends WritableFile {
  stat(): Promise<{ readonly size: number }>;
  read(bytes: Uint8Array, start: number, length: number, position: number): Promise<{ bytesRead: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
}

export const nodeFiles: FileLayer = { open, readdir, rename, rm, lock: lockFile };

/** A read of 2 GiB or more ends the process. */
const maxReadBytes = 2 ** 30;

/** Reads the bytes from `start` to `end`, or up to the end of the file. */
export async function readRange(file: JournalFile, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, Math.min(bytes.length - length, maxReadBytes), start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Flags of open(2) on macOS: O_EXLOCK locks the file, O_NONBLOCK fails if another process has it. */
const macFlags = 0x20 | 0x4;
/** libuv's flag on Windows for a file that nobody else can open. */
const windowsFlag = 0x10000000;

/**
 * Locks the file at `path`, which is created and never removed, and returns a function that unlocks it. Rejects with a
 * JournalError that names the process that has the lock.
 *
 * The lock belongs to the kernel, which releases it when the process ends in whatever way. A file that holds a process id
 * would not do: in two containers that share a folder, both processes may have the id 1.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const file = await openLocked(path);
  try {
    await file.truncate(0);
    await file.write(`process ${process.pid} on ${hostname()}\n`, 0);
  } catch (error) {
    await file.close();
    throw error;
  }
  return () => file.close();
}

async function openLocked(path: string): Promise<FileHandle> {
  const extra = { darwin: macFlags, win32: windowsFlag }[process.platform as string] ?? 0;
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | extra).catch((error: NodeJS.ErrnoException) => {
    if (extra !== 0 && ['EAGAIN', 'EBUSY'].includes(error.code ?? '')) throw inUse(path, 'another process');
    throw error;
  });
  if (extra !== 0) return file;
  try {
    await lockDescriptor(file, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Node cannot call flock(2). The command can, for a descriptor that it inherits, and the lock stays when it ends. */
async function lockDescriptor(file: FileHandle, path: string): Promise<void> {
  const command = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', file.fd] });
  let message = '';
  command.stderr!.on('data', (text) => (message += text));
  const [code] = await once(command, 'close').catch((error: Error) => {
    throw new JournalError(`cannot lock ${path}: the command "flock" of util-linux or BusyBox fails: ${error.message}`);
  });
  if (code === 0) return;
  if (message !== '') throw new JournalError(`cannot lock ${path}: ${message.trim()}`);
  throw inUse(path, (await file.readFile('utf8')).trim() || 'another process');
}

function inUse(path: string, owner: string): JournalError {
  return new JournalError(`${path} is locked by ${owner}. Only one process may use a journal`);
}
