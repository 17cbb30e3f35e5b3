import { z } from 'zod';

const count = z.int().min(1);

export const contentsFields = {
  contents: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Folder of the contents that are put at run time (PUT /_contents/NAME). Without one, none can be put',
        ),
      domain: z
        .string()
        .regex(
          /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i,
          'must be a domain such as preview.example.org, without * and port',
        )
        .toLowerCase()
        .optional()
        .describe(
          'Domain of the contents that are put at run time: NAME.DOMAIN and hosts below it choose the content NAME. Without one, only paths choose them',
        ),
      most: count.default(200).describe('Maximum number of contents in the process'),
      uploadBytes: count.default(2 ** 30).describe('Maximum size of an export or image that is sent, in bytes'),
      previewBytes: count
        .default(16 * 2 ** 20)
        .describe(
          'Maximum memory of all previews in use, in bytes. One that was used least recently is made again at its next request',
        ),
      idleSeconds: count
        .max(86_400)
        .default(60)
        .describe('Seconds without a request after which one of several contents holds no caches'),
    })
    .prefault({})
    .describe('Several contents in one process'),
};

export type ContentsSettings = z.output<(typeof contentsFields)['contents']>;
