import { query } from '../../query.ts';
import { filteredPage, leagues, ratingOrder } from './drawing.ts';

/** Articles by the league of a team that stands at the end of a path of relations. */
function deep(name: string, label: string, path: string[], authors: string, indexes: string) {
  return query({
    name,
    content: 'magazine',
    label,
    title: `${path.join('.')}, sorted by rating, pages 1-30`,
    draw: (random, rows) => ({ league: random.pick(leagues(rows)), page: filteredPage(random, rows) }),
    find: ({ league, page }) => ({
      type: 'article',
      where: { path, operator: 'eq', value: league },
      sort: [{ path: ['rating'], descending: true }],
      page,
    }),
    tuned: {
      setup: `create index if not exists deep_page on article (${ratingOrder}, id, author_id);
        create index if not exists article_author on article (author_id);
        create index if not exists team_league on team (league);
        ${indexes}`,
      ids: `select id from article indexed by deep_page where author_id in (${authors}) order by ${ratingOrder}, id`,
      count: `select count(*) from article indexed by article_author where author_id in (${authors})`,
    },
  });
}

export const deep2 = deep(
  'deep2',
  'two relations deep, sorted',
  ['author', 'team', 'league'],
  'select author.id from team join author on author.team_id = team.id where team.league = :league',
  'create index if not exists author_team on author (team_id)',
);

export const deep3 = deep(
  'deep3',
  'three relations deep, sorted',
  ['author', 'mentor', 'team', 'league'],
  `select author.id from team join author as mentor on mentor.team_id = team.id
    join author on author.mentor_id = mentor.id where team.league = :league`,
  `create index if not exists author_team on author (team_id);
   create index if not exists author_mentor on author (mentor_id)`,
);
