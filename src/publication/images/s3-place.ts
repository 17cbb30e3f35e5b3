import { AwsV4Signer } from 'aws4fetch';
import { PublicationError } from '../publication.ts';
import type { Environment } from '../secrets.ts';
import { checkHeaderText } from './header-text.ts';
import type { ImageReply } from './image-request.ts';
import { fileNameOf, type ImageName } from './image-store.ts';
import type { RemotePlace } from './remote-images.ts';

/** Bytes of an error reply that are read for its code. */
const maxErrorBytes = 4096;

export interface S3Address {
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
}

/**
 * Images in a bucket, as `PREFIX/NAME/SHA256.lectern`. Credentials, region and endpoint are those of the variables that
 * other programs for S3 read. Throws a PublicationError if one is missing or wrong.
 */
export function openS3Place({ bucket, prefix }: S3Address, name: string, environment: Environment): RemotePlace {
  const credentials = readCredentials(environment);
  const region = environment.AWS_REGION || 'us-east-1';
  if (!/^[a-z0-9-]+$/.test(region)) throw new PublicationError('AWS_REGION is no region, such as eu-central-1');
  const root = rootOf(bucket, region, environment);
  const path = [...prefix.split('/').filter((each) => each !== ''), name].map(encodeURIComponent).join('/');
  return {
    urlOf: (image: ImageName) => new URL(`${path}/${fileNameOf(image)}`, root),
    authorize: async (method, url, { sha256 }) => {
      // a signature for another address is worth nothing there
      if (url.origin !== root.origin) return {};
      const content = method === 'PUT' ? { 'X-Amz-Content-Sha256': sha256 } : undefined;
      const signer = new AwsV4Signer({
        method,
        url: url.href,
        headers: content,
        service: 's3',
        region,
        ...credentials,
      });
      return Object.fromEntries((await signer.sign()).headers);
    },
    explain: async (reply) => {
      const actual = reply.headers.get('x-amz-bucket-region');
      if (actual !== null && /^[a-z0-9-]+$/.test(actual) && actual !== region) {
        return `the bucket is in the region ${actual}: set AWS_REGION`;
      }
      return (await readCode(reply)) ?? (reply.status === 403 ? 'the key of AWS_ACCESS_KEY_ID may not do this' : null);
    },
  };
}

function readCredentials(environment: Environment) {
  const read = (variable: string) => checkHeaderText(environment[variable] || undefined, variable);
  const accessKeyId = read('AWS_ACCESS_KEY_ID');
  const secretAccessKey = read('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new PublicationError('images at s3:// need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  return { accessKeyId, secretAccessKey, sessionToken: read('AWS_SESSION_TOKEN') };
}

/** Returns the URL of a bucket, with a slash at its end. */
function rootOf(bucket: string, region: string, environment: Environment): URL {
  const variable = environment.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL';
  const endpoint = environment[variable];
  if (endpoint) return new URL(`${readEndpoint(endpoint, variable)}/${bucket}/`);
  const domain = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // the certificate covers no names of more parts
  return new URL(bucket.includes('.') ? `https://${domain}/${bucket}/` : `https://${bucket}.${domain}/`);
}

/** Returns an endpoint without a slash at its end. */
function readEndpoint(text: string, variable: string): string {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw new PublicationError(`${variable} is no address with http:// or https://`);
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new PublicationError(`${variable} cannot have a user, a password, "?" or "#"`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Returns the code of an error, such as `NoSuchBucket`. The message beside it may hold what was signed. */
async function readCode(reply: ImageReply): Promise<string | null> {
  let text = '';
  for await (const piece of reply.read()) {
    text += Buffer.from(piece).toString('latin1');
    if (text.length > maxErrorBytes) break;
  }
  return /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1] ?? null;
}
