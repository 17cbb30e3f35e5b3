/** Pictures: entries of the file type that is always there. */
import { CITIES } from './cities.ts';
import type { ContentType } from './content-type.ts';
import { DAY, HOUR, iso, LAST_DAY } from './dates.ts';
import { Random } from './random.ts';
import { capitalise, slugify } from './text.ts';
import { TOPICS } from './topics.ts';
import { fileId } from './world.ts';

const FORMATS = [
  { ext: '.jpg', mime: 'image/jpeg' },
  { ext: '.png', mime: 'image/png' },
  { ext: '.webp', mime: 'image/webp' },
];

export const file: ContentType = {
  singularName: 'file',
  definition: null,
  *entries(world) {
    for (let index = 0; index < world.plan.files; index++) {
      const random = new Random(world.seed, 'file', index);
      const { ext, mime } = random.pick(FORMATS);
      const topic = random.pick(TOPICS).en;
      const city = random.pick(CITIES).name.en;
      const hash = `${slugify(`${topic} ${city}`).replaceAll('-', '_')}_${(index + 46_656).toString(36)}`;
      const created = LAST_DAY - random.integer(1, 4000) * DAY + random.integer(0, 23) * HOUR;
      const [width, height] = random.pick([
        [1600, 1067],
        [1200, 1600],
        [2000, 2000],
        [2400, 1000],
      ]);
      yield {
        id: index + 1,
        documentId: fileId(index),
        createdAt: iso(created),
        updatedAt: iso(created),
        publishedAt: iso(created),
        name: `${slugify(topic)}-${slugify(city)}${ext}`,
        alternativeText: random.maybe(0.8, () => `${capitalise(topic)} in ${city}`),
        caption: random.maybe(0.3, () => `${city}, ${random.pick(['before sunrise', 'in the rain', 'last winter'])}`),
        width,
        height,
        formats: random.maybe(0.7, () => ({
          thumbnail: {
            name: `thumbnail_${hash}${ext}`,
            hash: `thumbnail_${hash}`,
            ext,
            mime,
            width: Math.round((width * 156) / height),
            height: 156,
            size: random.integer(300, 1200) / 100,
            url: `/uploads/thumbnail_${hash}${ext}`,
          },
        })),
        hash,
        ext,
        mime,
        size: random.integer(4000, 90_000) / 100,
        url: `/uploads/${hash}${ext}`,
        provider: 'local',
      };
    }
  },
};
