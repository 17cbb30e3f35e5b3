import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** A file cannot be locked. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** Whether another process has the lock. Otherwise locks do not work here. */
  readonly isInUse: boolean;

  constructor(message: string, isInUse: boolean) {
    super(message);
    this.isInUse = isInUse;
  }
}

/** Flags of open(2) on macOS: O_EXLOCK locks the file, O_NONBLOCK fails if another process has it. */
const macFlags = 0x20 | 0x4;
/** libuv's flag on Windows for a file that nobody else can open. */
const windowsFlag = 0x10000000;
const pauseBetweenAttempts = 20;

/**
 * Locks the file at `path`, which is created and never removed, and returns a function that unlocks it. Waits at most
 * `wait` milliseconds while another process has the lock. Rejects with a LockError that names the process that has it.
 *
 * The lock belongs to the kernel, which releases it when the process ends in whatever way. A file that holds a process id
 * would not do: in two containers that share a folder, both processes may have the id 1.
 */
export async function lockFile(path: string, wait = 0): Promise<() => Promise<void>> {
  const file = await openLocked(path, wait);
  try {
    await file.truncate(0);
    await file.write(`process ${process.pid} on ${hostname()}\n`, 0);
  } catch (error) {
    await file.close();
    throw error;
  }
  return () => file.close();
}

async function openLocked(path: string, wait: number): Promise<FileHandle> {
  const extra = { darwin: macFlags, win32: windowsFlag }[process.platform as string] ?? 0;
  if (extra !== 0) return openExclusively(path, extra, performance.now() + wait);
  const file = await open(path, constants.O_RDWR | constants.O_CREAT);
  try {
    await lockDescriptor(file, path, wait);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openExclusively(path: string, extra: number, deadline: number): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(path, constants.O_RDWR | constants.O_CREAT | extra);
    } catch (error) {
      if (!['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      if (performance.now() >= deadline) throw inUse(path, 'another process');
    }
    await pause(pauseBetweenAttempts);
  }
}

/**
 * Node cannot call flock(2). The command can, for a descriptor that it inherits, and the lock stays when it ends. BusyBox
 * has no option for a time limit, so a waiting command is killed.
 */
async function lockDescriptor(file: FileHandle, path: string, wait: number): Promise<void> {
  const flags = wait > 0 ? ['-x'] : ['-x', '-n'];
  const command = spawn('flock', [...flags, '3'], { stdio: ['ignore', 'ignore', 'pipe', file.fd] });
  const timer = wait > 0 ? setTimeout(() => command.kill('SIGKILL'), wait) : undefined;
  let message = '';
  command.stderr!.on('data', (text) => (message += text));
  const [code] = await once(command, 'close')
    .catch((error: Error) => {
      const reason = `the command "flock" of util-linux or BusyBox fails: ${error.message}`;
      throw new LockError(`cannot lock ${path}: ${reason}`, false);
    })
    .finally(() => clearTimeout(timer));
  if (code === 0) return;
  if (message !== '') throw new LockError(`cannot lock ${path}: ${message.trim()}`, false);
  throw inUse(path, (await file.readFile('utf8')).trim() || 'another process');
}

function inUse(path: string, owner: string): LockError {
  return new LockError(`${path} is locked by ${owner}`, true);
}
