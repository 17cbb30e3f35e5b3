import { expect, test } from 'vitest';
import { databaseOfEnvironment } from '../../../src/load/database/environment-database.ts';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { networkProblem } from '../../../src/load/database/server-errors.ts';

const environment = databaseOfEnvironment({ DATABASE_URL: 'mysql://reader:secret@db.invalid/site' }) as ServerLocation;
const { isOfEnvironment: _, ...project } = environment;

test.each([
  ['ENOTFOUND', '', /config\/database or in \.env/, /check the host in DATABASE_URL/],
  ['HANDSHAKE_NO_SSL_SUPPORT', '', /set ssl to false in config\/database/, /add sslmode=disable to DATABASE_URL/],
  [
    '',
    'The server does not support SSL connections',
    /ssl to false in config\/database/,
    /sslmode=disable to DATABASE/,
  ],
  [
    'ER_SECURE',
    'Connections using insecure transport are prohibited',
    /set ssl in config/,
    /sslmode=require to DATABASE/,
  ],
  ['SELF_SIGNED_CERT', 'self-signed', /ssl\.ca of config\/database/, /sslrootcert in DATABASE_URL/],
])('the error %s %s names what the user has written', (code, message, ofProject, ofEnvironment) => {
  expect(networkProblem(code, message, project)).toMatch(ofProject);
  expect(networkProblem(code, message, environment)).toMatch(ofEnvironment);
  expect(networkProblem(code, message, environment)).not.toMatch(/config\/database|secret/);
});
