import { isDeepStrictEqual } from 'node:util';
import { warning } from '../../core/problems.ts';
import { openUploads, type ServedUploads, type Unpack } from '../../http/files/open-uploads.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import type { Settings } from '../../model/settings/config.ts';
import type { ContentSummary } from './summary.ts';

/** The uploaded files of content, which another snapshot can replace. */
export class ContentUploads {
  readonly #settings: Settings;
  readonly #unpack: Unpack | undefined;
  readonly #replacesFiles: boolean;
  #files: UploadedFiles | null;
  #served: ServedUploads | null;

  /** Adds warnings about missing files to `summary`. */
  constructor(
    settings: Settings,
    unpack: Unpack | undefined,
    { uploadedFiles, replacesFiles = false }: Pick<LoadedSnapshot, 'uploadedFiles' | 'replacesFiles'>,
    summary: ContentSummary,
  ) {
    this.#settings = settings;
    this.#unpack = unpack;
    this.#replacesFiles = replacesFiles;
    this.#files = uploadedFiles;
    this.#served = this.#open(summary);
  }

  /** Null if the settings turn uploads off. */
  get served(): ServedUploads | null {
    return this.#served;
  }

  /** Serves these files from now on. Releases the earlier files, unless they are the same. */
  replace(files: UploadedFiles | null, summary: ContentSummary): void {
    if (isDeepStrictEqual(files, this.#files)) return;
    const earlier = this.#served;
    this.#files = files;
    this.#served = this.#open(summary);
    void earlier?.release();
  }

  #open(summary: ContentSummary): ServedUploads | null {
    const uploads = openUploads(this.#settings, this.#files, this.#replacesFiles, this.#unpack);
    void uploads?.settled.then((warnings) => {
      summary.warnings.push(...warnings.map((message) => warning('uploads', message)));
    });
    return uploads;
  }
}
