// loaded by `node --import` to end every thread but the main one
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) process.exit(3);
