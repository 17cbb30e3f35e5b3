import { type Environment, readSecret } from '../secrets.ts';
import { checkHeaderText } from './header-text.ts';
import { fileNameOf, type ImageName } from './image-store.ts';
import type { RemotePlace } from './remote-images.ts';

const variable = 'LECTERN_IMAGES_TOKEN';

/** Images at `ADDRESS/NAME/SHA256.lectern`. Rejects with a PublicationError for a token that cannot be read. */
export async function openHttpPlace(address: URL, name: string, environment: Environment): Promise<RemotePlace> {
  // a token file is read with each request, so that a new token needs no restart
  const readToken = async () => checkHeaderText(await readSecret(variable, environment), variable);
  await readToken();
  const root = new URL(address);
  root.pathname = `${root.pathname.replace(/\/+$/, '')}/${encodeURIComponent(name)}/`;
  return {
    urlOf: (image: ImageName) => new URL(fileNameOf(image), root),
    authorize: async (_method, { origin }): Promise<Record<string, string>> => {
      const token = origin === root.origin ? await readToken() : undefined;
      return token === undefined ? {} : { Authorization: `Bearer ${token}` };
    },
    explain: async ({ status }) => {
      if (status !== 401 && status !== 403) return null;
      const isSet = (await readToken()) !== undefined;
      return isSet ? `it refuses the token of ${variable}` : `set ${variable} or ${variable}_FILE if it needs a token`;
    },
  };
}
