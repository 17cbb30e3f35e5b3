import type { Content } from '../../src/content/content.ts';
import type { PutPreview } from '../../src/content/previews/made-preview.ts';
import { OpenPreviews } from '../../src/content/previews/open-previews.ts';
import { Preview } from '../../src/content/previews/preview.ts';
import { packChangesInSteps } from '../../src/content/previews/preview-changes.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { configSchema } from '../../src/model/settings/config.ts';

export interface PreviewOptions {
  readonly drafts?: boolean;
  /** Whether the public may read everything. Default: true. */
  readonly isPublic?: boolean;
  /** Default: 16 MiB for this preview alone. */
  readonly open?: OpenPreviews;
}

/** Creates a preview of a content with these lists of changes. */
export function previewOf(
  base: Content,
  lists: readonly unknown[],
  { drafts = false, isPublic = true, open = new OpenPreviews(2 ** 24) }: PreviewOptions = {},
): Preview {
  const put: PutPreview = {
    name: 'pr',
    snapshot: '',
    isUploaded: true,
    preview: { base: 'main', drafts, sha256: null, epoch: 1 },
    tokens: [],
    putAt: '2026-01-01T00:00:00.000Z',
    expires: null,
  };
  const settings = configSchema.parse({ public: isPublic });
  const baseOf = () => ({ id: 1, content: base });
  return new Preview(put, runAtOnce(packChangesInSteps(lists)), { settings, extension: null, open, baseOf });
}
