import { Layouts, Page, useFetchClient } from '@strapi/strapi/admin';
import { createElement as h, useEffect, useState } from 'react';

/** Returns the lines of the page. */
function linesOf({ isOn, problem, waiting, posts, takenAt, sources = [] }) {
  if (!isOn) return ['The plugin has no url (LECTERN_URL), so it tells Lectern nothing.'];
  const time = (value) => (value ? new Date(value).toLocaleString() : 'never');
  const isFresh = problem === null && waiting === 0 && takenAt !== null;
  return [
    isFresh ? 'Lectern is fresh.' : `Lectern is behind: ${problem ?? 'it has not taken every change yet'}.`,
    `Changes that wait for Lectern: ${waiting}`,
    `Posts that Lectern has taken since the start of this Strapi: ${posts}, the last one at ${time(takenAt)}`,
    ...sources.map(({ content, readAt }) => `Content "${content}" equals this Strapi as of ${time(readAt)}`),
  ];
}

function StatusPage() {
  const { get } = useFetchClient();
  const [lines, setLines] = useState(['…']);
  useEffect(() => {
    const fail = ({ message }) => setLines([`The status cannot be read: ${message}`]);
    const look = () => get('/lectern/status').then(({ data }) => setLines(linesOf(data)), fail);
    void look();
    const timer = setInterval(look, 2000);
    return () => clearInterval(timer);
  }, [get]);
  const rows = lines.map((line) => h('p', { key: line, style: { margin: '8px 0', fontSize: 16 } }, line));
  return h(Page.Main, null, h(Layouts.Header, { title: 'Lectern' }), h(Layouts.Content, null, rows));
}

const link = {
  to: 'plugins/lectern',
  icon: () => h('span', { 'aria-hidden': true }, 'L'),
  intlLabel: { id: 'lectern.name', defaultMessage: 'Lectern' },
  Component: async () => ({ default: StatusPage }),
  permissions: [],
};
export default { register: (app) => app.addMenuLink(link) };
