import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';

/** Makes a certificate that no authority has signed, for localhost, in files that belong to the user of a server. */
export function makeCertificate(user: { uid: number; gid: number } | undefined): { certificate: string; key: string } {
  const folder = temporaryFolder('lectern-certificate-');
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
  execFileSync('openssl', [...args, ...subject], { stdio: 'ignore' });
  if (user) for (const path of [folder, certificate, key]) chownSync(path, user.uid, user.gid);
  return { certificate, key };
}
