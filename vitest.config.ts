import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long: they start processes, try many cases, or load many or large snapshots. `npm test` leaves them out;
 * `npm run test:slow` and `.ci/run` run them.
 */
const slow = [
  'test/changes/hostile-patches.test.ts',
  'test/changes/random-changes.test.ts',
  'test/changes/random-patches.test.ts',
  'test/changes/round-trip.test.ts',
  'test/changes/written-snapshot.test.ts',
  'test/cli/commands.test.ts',
  'test/cli/contents.test.ts',
  'test/cli/diff.test.ts',
  'test/cli/export.test.ts',
  'test/cli/follow-start.test.ts',
  'test/cli/follow.test.ts',
  'test/cli/pull.test.ts',
  'test/cli/reload.test.ts',
  'test/cli/serve.test.ts',
  'test/cli/types.test.ts',
  'test/cli/users-left-out.test.ts',
  'test/client/types.test.ts',
  'test/content/precision.test.ts',
  'test/contents/folded-changes.test.ts',
  'test/contents/hostile-bodies.test.ts',
  'test/contents/preview-bases.test.ts',
  'test/contents/random-preview-patches.test.ts',
  'test/deploy/*.test.ts',
  'test/description/openapi/client.test.ts',
  'test/description/openapi/document.test.ts',
  'test/description/openapi/random.test.ts',
  'test/description/openapi/recordings.test.ts',
  'test/diff/random-edits.test.ts',
  'test/documents/commands.test.ts',
  'test/documents/library.test.ts',
  'test/documents/previews.test.ts',
  'test/drafts/show-drafts.test.ts',
  'test/engine/compiled-queries.test.ts',
  'test/extend/documentation.test.ts',
  'test/image/foreign-arrays.test.ts',
  'test/image/foreign-documents.test.ts',
  'test/journal/commands.test.ts',
  'test/journal/crashes.test.ts',
  'test/journal/kills.test.ts',
  'test/live/changes-in-turns.test.ts',
  'test/live/joined-changes.test.ts',
  'test/live/journal-crashes.test.ts',
  'test/live/journal-kills.test.ts',
  'test/live/pinned.test.ts',
  'test/load/database/copy-database.test.ts',
  'test/load/database/database-tables.test.ts',
  'test/load/database/locked-copy.test.ts',
  'test/load/database/writers.test.ts',
  'test/load/limits.test.ts',
  'test/load/load-in-thread.test.ts',
  'test/load/project/answers.test.ts',
  'test/load/project/broken-projects.test.ts',
  'test/load/project/load-project.test.ts',
  'test/load/users-left-out.test.ts',
  'test/media/replaced-uploads.test.ts',
  'test/nightly/nightly.test.ts',
  'test/project/published.test.ts',
  'test/project/release.test.ts',
  'test/publication/*.test.ts',
  'test/reply/large-replies.test.ts',
  'test/replica/redis-replica.test.ts',
  'test/replica/serve-replica.test.ts',
  'test/run/early-page.test.ts',
  'test/server/imports.test.ts',
  'test/server/large-import.test.ts',
  'test/server/setting-pairs.test.ts',
  'test/server/swapped-stores.test.ts',
  'test/source/compare/content-comparison.test.ts',
  'test/source/project/compare-database.test.ts',
  'test/source/project/project-reader.test.ts',
  'test/source/project/typed-database.test.ts',
  'test/source/rest/changing-content.test.ts',
  'test/source/rest/faults.test.ts',
  'test/source/rest/users-left-out.test.ts',
  'test/source/rest/plugin-posts.test.ts',
  'test/source/rest/plugin-route.test.ts',
  'test/source/rest/pulled-recordings.test.ts',
  'test/source/rest/rest-reader.test.ts',
  'test/source/source-follower.test.ts',
  'test/threads/changes.test.ts',
  'test/threads/compaction.test.ts',
  'test/threads/contents.test.ts',
  'test/threads/forms-of-changes.test.ts',
  'test/threads/pin.test.ts',
  'test/threads/spread-contents.test.ts',
  'test/threads/threads.test.ts',
  'test/upgrade/upgrade.test.ts',
];

/** Slow files that need a process of their own, as those below do. */
const slowIsolated = [
  'test/bench/*.test.ts',
  'test/content/compaction.test.ts',
  'test/data/generate.test.ts',
  'test/database/mysql/*.test.ts',
  'test/database/postgres/*.test.ts',
  'test/database/servers/*.test.ts',
  'test/engine/cache-budgets.test.ts',
  'test/engine/cache-memory.test.ts',
  'test/fuzz/snapshots.test.ts',
  'test/load/faults.test.ts',
  'test/replicas/replicas.test.ts',
  'test/reply/pooled-buffers.test.ts',
  'test/soak/soak.test.ts',
  'test/source/project/sqlite-watch.test.ts',
];

/**
 * Files that need a process of their own: they replace functions of Node or whole modules, measure the heap, or count on
 * a fresh buffer pool. All others share one process per worker, which saves most of the time of their imports. They run
 * one after another, so a file that changes the environment or the working directory restores it after each test.
 */
const isolated = [
  'test/engine/released-stores.test.ts',
  'test/server/codecs.test.ts',
  'test/server/log-writer.test.ts',
  'test/server/process-events.test.ts',
  'test/threads/thread-group.test.ts',
  'test/upstream/passing.test.ts',
];

/** Files that drive a browser, which `npm run test:browser` runs. No other command needs one. */
const inBrowser = ['test/browser/*.test.ts'];

/** The longest files. They begin first, so that no worker is left alone with one at the end. */
const longest = [
  'test/image/foreign-arrays.test.ts',
  'test/cli/follow.test.ts',
  'test/database/servers/safety.test.ts',
  'test/database/servers/terminated-sessions.test.ts',
  'test/source/project/project-reader.test.ts',
  'test/live/live.test.ts',
  'test/changes/written-snapshot.test.ts',
  'test/live/pinned.test.ts',
  'test/database/mysql/follow-mysql.test.ts',
  'test/deploy/new-content.test.ts',
  'test/documents/commands.test.ts',
  'test/load/load-in-thread.test.ts',
  'test/live/stale-tags.test.ts',
  'test/features/language.test.ts',
  'test/explorer/mapping.test.ts',
  'test/engine/cache-memory.test.ts',
  'test/threads/threads.test.ts',
  'test/threads/changes.test.ts',
  'test/source/project/compare-database.test.ts',
  'test/image/foreign-documents.test.ts',
  'test/database/servers/failures.test.ts',
  'test/threads/compaction.test.ts',
  'test/journal/crashes.test.ts',
  'test/live/journal-kills.test.ts',
  'test/property/oracle.test.ts',
  'test/contents/stored-contents.test.ts',
  'test/image/round-trip.test.ts',
  'test/image/attach-content.test.ts',
  'test/journal/journal.test.ts',
  'test/server/setting-pairs.test.ts',
  'test/property/relations.test.ts',
  'test/browser/hostile-controls.test.ts',
  'test/browser/journeys.test.ts',
  'test/browser/accessibility.test.ts',
  'test/browser/links.test.ts',
  'test/browser/hostile-values.test.ts',
];

/** A worker that ends a project is started anew for the next one, so the files of a project run one after another. */
const projects = ['slow-isolated', 'isolated', 'slow', 'shared', 'browser'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project, moduleId }: TestSpecification) => {
      const place = longest.indexOf(relative(project.config.root, moduleId));
      return projects.indexOf(project.name) * 1000 + (place < 0 ? longest.length : place);
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    // ends a test that hangs; a busy machine may need ten times as long as an idle one
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // lets a test force a collection before it reads the heap
    execArgv: ['--expose-gc'],
    globalSetup: 'test/support/bundle.ts',
    setupFiles: ['test/support/clean-up.ts'],
    // extension modules that tests write are imported by Node itself, as in a server
    server: { deps: { external: [/lectern-extend-/] } },
    projects: [
      { extends: true, test: { name: 'slow', isolate: false, include: slow } },
      { extends: true, test: { name: 'slow-isolated', include: slowIsolated } },
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...slowIsolated, ...isolated, ...inBrowser],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          include: inBrowser,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/browser/support/shared-browser.ts', 'test/browser/support/shared-servers.ts'],
        },
      },
    ],
  },
});
